"""The code under test: triggers a playbook and polls its run."""
import json
import time
import urllib.error
import urllib.request


def call(base_url, key, path, body=None):
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    while True:
        try:
            with urllib.request.urlopen(urllib.request.Request(base_url + path, data, headers)) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            # These two are safe to send again, a trigger too.
            if error.code not in (429, 500):
                raise
            time.sleep(float(error.headers.get("Retry-After") or 0.1))


def refund(base_url, key, playbook, order):
    run = call(base_url, key, f"/playbooks/{playbook}/runs", {"inputs": {"order": order}})
    while run.get("status") not in ("succeeded", "failed"):
        run = call(base_url, key, f"/runs/{run['id']}")
        if any(step["status"] == "waiting_approval" for step in run["steps"]):
            return run
        time.sleep(0.02)
    return run
