"""The generated client; FAULT plants a fault of its HTTP library, urllib3."""
import os
import time

import urllib3
from openapi_client import ApiClient, Configuration
from openapi_client.api import PlaybooksApi, RunsApi
from openapi_client.exceptions import ApiException
from openapi_client.models import TriggerRunRequest

configuration = Configuration(host=os.environ["WORKFLOW_BASE_URL"], access_token=os.environ["WORKFLOW_API_KEY"])
if os.environ.get("FAULT") == "resends by its library":
    # Any method, and lost connections too.
    configuration.retries = urllib3.Retry(total=5, status_forcelist=[429, 500], allowed_methods=None)
else:
    configuration.retries = False
api = ApiClient(configuration)


def call(function, *args, repeatable=True):
    for _ in range(6):
        try:
            return function(*args)
        except ApiException as error:
            if error.status not in (429, 500):
                raise
            time.sleep(int((error.headers or {}).get("Retry-After", "1")))
        except urllib3.exceptions.HTTPError:
            if not repeatable:
                raise
            time.sleep(0.3)
    raise RuntimeError("gave up")


playbook = call(PlaybooksApi(api).list_playbooks).data[0].id
for order in range(4):
    inputs = TriggerRunRequest(inputs={"order": str(order)})
    try:
        run = call(RunsApi(api).trigger_run, playbook, inputs, repeatable=False)
    except urllib3.exceptions.HTTPError as error:
        print("It is not known whether the run was started:", error)
        continue
    for _ in range(10):
        call(RunsApi(api).get_run, run.id)
        time.sleep(0.1)
