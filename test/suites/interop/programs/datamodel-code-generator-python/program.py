import json
import os
import time
import urllib.error
import urllib.request

from models import PlaybookList, RateLimitBody, Run, TriggeredRun, TriggerRunRequest


def call(path, model, body=None, key=os.environ["API_KEY"]):
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    data = body.model_dump_json().encode() if body else None
    request = urllib.request.Request(os.environ["BASE_URL"] + path, data=data, headers=headers)
    try:
        with urllib.request.urlopen(request) as response:
            return response.status, model.model_validate(json.load(response))
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


_, playbooks = call("/playbooks", PlaybookList)
assert playbooks.meta.total == len(playbooks.data) == 4
request = TriggerRunRequest(inputs={"order": "42"})
_, run = call(f"/playbooks/{playbooks.data[0].id}/runs", TriggeredRun, request)
for _ in range(100):
    _, run = call(f"/runs/{run.id}", Run)
    if run.status.root in ("succeeded", "failed"):
        break
    time.sleep(0.05)
assert run.status.root == "succeeded" and len(run.steps) == 2

assert call("/runs/run_unknown", Run)[0] == 404
status, body = call("/playbooks", PlaybookList, key=os.environ["LIMITED_KEY"])
assert status == 429 and RateLimitBody.model_validate(body).retry_after > 0
