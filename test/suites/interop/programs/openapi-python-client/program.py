import os
import time

from client import AuthenticatedClient
from client.api.playbooks import list_playbooks
from client.api.runs import get_run, trigger_run
from client.models import RateLimitBody, TriggerRunRequest, RunInputs

api = AuthenticatedClient(base_url=os.environ["BASE_URL"], token=os.environ["API_KEY"])
playbooks = list_playbooks.sync(client=api)
assert playbooks.meta.total == len(playbooks.data) == 4
request = TriggerRunRequest(inputs=RunInputs.from_dict({"order": "42"}))
run = trigger_run.sync(playbooks.data[0].id, client=api, body=request)
for _ in range(100):
    run = get_run.sync(run.id, client=api)
    if run.status != "running":
        break
    time.sleep(0.05)
assert run.status == "succeeded" and len(run.steps) == 2

assert get_run.sync_detailed("run_unknown", client=api).status_code == 404
limited = AuthenticatedClient(base_url=os.environ["BASE_URL"], token=os.environ["LIMITED_KEY"])
refused = list_playbooks.sync_detailed(client=limited)
assert refused.status_code == 429 and isinstance(refused.parsed, RateLimitBody) and refused.parsed.retry_after > 0
