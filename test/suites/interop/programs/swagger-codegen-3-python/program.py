import os
import time

from swagger_client import ApiClient, Configuration, PlaybooksApi, RunsApi, RunInputs, TriggerRunRequest
from swagger_client.rest import ApiException


def client_of(key):
    configuration = Configuration()
    configuration.host = os.environ["BASE_URL"]
    client = ApiClient(configuration)
    client.default_headers["Authorization"] = f"Bearer {key}"
    return client


client = client_of(os.environ["API_KEY"])
playbooks = PlaybooksApi(client).list_playbooks()
assert playbooks.meta.total == len(playbooks.data) == 4
runs = RunsApi(client)
run = runs.trigger_run({"inputs": {"order": "42"}}, playbooks.data[0].id)
for _ in range(100):
    run = runs.get_run(run.id)
    if run.status != "running":
        break
    time.sleep(0.05)
assert run.status == "succeeded" and len(run.steps) == 2


def refused(status, call):
    try:
        call()
    except ApiException as error:
        assert error.status == status, error
    else:
        raise AssertionError(f"no {status}")


refused(404, lambda: runs.get_run("run_unknown"))
refused(429, lambda: PlaybooksApi(client_of(os.environ["LIMITED_KEY"])).list_playbooks())
