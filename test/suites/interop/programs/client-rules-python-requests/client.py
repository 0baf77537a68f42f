"""A client of requests; FAULT plants a fault."""
import os
import time

import requests

FAULT = os.environ.get("FAULT", "")
BASE_URL = os.environ["WORKFLOW_BASE_URL"]
session = requests.Session()
session.headers["Authorization"] = "Bearer " + os.environ["WORKFLOW_API_KEY"]

if os.environ.get("INJECT"):
    url = os.environ["SANDBOX_URL"] + "/__sandbox/inject"
    requests.post(url, data=os.environ["INJECT"], timeout=10).raise_for_status()


class Unknown(Exception):
    """Nobody knows whether the run was started."""


def call(method, path, json=None):
    for _ in range(6):
        try:
            response = session.request(method, BASE_URL + path, json=json, timeout=10)
        except requests.ConnectionError as error:
            if method == "POST":
                raise Unknown from error
            time.sleep(0.3)
            continue
        status = response.status_code
        if status == 429:
            wait = int(response.headers.get("Retry-After", "1"))
            time.sleep(wait / 2 if FAULT == "waits half as long" else wait)
        elif status == 500 or (status == 502 and FAULT == "resends after a 502"):
            time.sleep(0.3)
        elif status > 500 and method == "POST":
            raise Unknown
        else:
            response.raise_for_status()
            return response.json()
    raise RuntimeError("gave up")


playbook = call("GET", "/playbooks")["data"][0]["id"]
for order in range(4):
    try:
        run = call("POST", f"/playbooks/{playbook}/runs", {"inputs": {"order": str(order)}})
    except Unknown:
        print("It is not known whether the run was started.")
        continue
    for _ in range(10):
        call("GET", "/runs/" + run["id"])
        time.sleep(0.1)
