import os
import time

import openapi_client
from openapi_client.exceptions import ApiException, NotFoundException


def client(key):
    configuration = openapi_client.Configuration(host=os.environ["BASE_URL"], access_token=key)
    return openapi_client.ApiClient(configuration)


api = client(os.environ["API_KEY"])
playbooks = openapi_client.PlaybooksApi(api).list_playbooks()
assert playbooks.meta.total == len(playbooks.data) == 4
runs = openapi_client.RunsApi(api)
request = openapi_client.TriggerRunRequest(inputs={"order": "42"})
run = runs.trigger_run(playbooks.data[0].id, request)
for _ in range(100):
    run = runs.get_run(run.id)
    if run.status in ("succeeded", "failed"):
        break
    time.sleep(0.05)
assert run.status == "succeeded" and len(run.steps) == 2

try:
    runs.get_run("run_unknown")
    raise AssertionError("no 404")
except NotFoundException:
    pass
try:
    openapi_client.PlaybooksApi(client(os.environ["LIMITED_KEY"])).list_playbooks()
    raise AssertionError("no 429")
except ApiException as error:
    assert error.status == 429 and int(error.headers["Retry-After"]) > 0
