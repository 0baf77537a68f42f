"""The code under test: triggers a playbook and polls its run."""
import json
import time
import urllib.error
import urllib.request


# How long to try, in seconds.
PATIENCE = 60


def call(base_url, key, path, body=None):
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            with urllib.request.urlopen(urllib.request.Request(base_url + path, data, headers)) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            # A 500 is safe to send again, a trigger too; a 429 was refused.
            if error.code not in (429, 500) or time.monotonic() > deadline:
                raise
            time.sleep(float(error.headers.get("Retry-After") or 0.1))


def refund(base_url, key, playbook, order):
    """Returns the run when it has ended, when it waits for an approval, or after a minute."""
    started = call(base_url, key, f"/playbooks/{playbook}/runs", {"inputs": {"order": order}})
    if not started.get("id"):
        raise RuntimeError("The run was started, but the response has no id.")
    deadline = time.monotonic() + PATIENCE
    while True:
        run = call(base_url, key, f"/runs/{started['id']}")
        is_waiting = any(step["status"] == "waiting_approval" for step in run["steps"])
        has_ended = run["status"] in ("succeeded", "failed")  # any other status, also an unknown one, is no end
        if has_ended or is_waiting or time.monotonic() > deadline:
            return run
        time.sleep(0.02)
