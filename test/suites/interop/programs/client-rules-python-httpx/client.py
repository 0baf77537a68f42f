"""A client of httpx; FAULT plants a fault."""
import os
import time

import httpx

FAULT = os.environ.get("FAULT", "")
KEY = {"Authorization": "Bearer " + os.environ["WORKFLOW_API_KEY"]}
client = httpx.Client(base_url=os.environ["WORKFLOW_BASE_URL"], timeout=10)


def call(method, path, json=None):
    headers = KEY
    for _ in range(6):
        try:
            response = client.request(method, path, json=json, headers=headers)
        except httpx.TransportError:
            if method == "POST" and FAULT != "resends after a loss":
                raise
            time.sleep(0.3)
            continue
        if FAULT == "forgets the key":
            headers = {}
        if response.status_code == 429:
            wait = int(response.headers.get("Retry-After", "1"))
            time.sleep(0 if FAULT == "retries at once" else wait)
        elif response.status_code == 500:
            time.sleep(0.3)
        else:
            response.raise_for_status()
            return response.json()
    raise RuntimeError("gave up")


playbook = call("GET", "/playbooks")["data"][0]["id"]
for order in range(4):
    try:
        run = call("POST", f"/playbooks/{playbook}/runs", {"inputs": {"order": str(order)}})
    except httpx.TransportError as error:
        print("It is not known whether the run was started:", error)
        continue
    for _ in range(10):
        call("GET", "/runs/" + run["id"])
        time.sleep(0.1)
