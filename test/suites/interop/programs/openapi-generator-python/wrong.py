"""Uses the generated client against services in which an assumption of the contract is wrong: one trigger each."""

import json
import os
import time

import openapi_client
from openapi_client.exceptions import ApiException, NotFoundException

seen = {}
for name, url in json.loads(os.environ["SERVERS"]).items():
    configuration = openapi_client.Configuration(host=url, access_token=os.environ["API_KEY"])
    api = openapi_client.ApiClient(configuration)
    playbooks = openapi_client.PlaybooksApi(api).list_playbooks()
    assert len(playbooks.data) == 4, name
    runs = openapi_client.RunsApi(api)
    try:
        # The id of the playbook is known, and the status and headers are read beside the body.
        triggered = runs.trigger_run_with_http_info(
            os.environ["PLAYBOOK"], openapi_client.TriggerRunRequest(inputs={"order": "42"})
        )
    except ApiException as error:
        seen[name] = error.status
        continue
    headers = {key.lower(): value for key, value in triggered.headers.items()}
    run_id = triggered.data.id or headers["location"].rsplit("/", 1)[-1]
    deadline = time.monotonic() + 10
    status = "running"
    while status == "running" and time.monotonic() < deadline:
        try:
            status = runs.get_run(run_id).status
        except NotFoundException:
            pass
        time.sleep(0.02)
    seen[name] = status
    try:
        runs.get_run("run_unknown")
    except NotFoundException as error:
        assert error.body is not None
    try:
        openapi_client.WorkspacesApi(api).get_current_workspace(service_version="2026-01-15")
    except ApiException as error:
        assert name == "releases refused" and "no such release" in error.body

expected = dict.fromkeys(seen, "succeeded")
expected.update({"unknown terminal status": "completed", "422 to inputs": 422})
assert seen == expected, seen
