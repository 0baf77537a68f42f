import urllib.error

import pytest
from refunds import refund


def test_a_refund_succeeds(world):
    assert refund(world.base_url, world.keys["valid"], world.playbooks["succeeds"], "42")["status"] == "succeeded"


def test_a_refund_waits_for_an_approval(world):
    run = refund(world.base_url, world.keys["valid"], world.playbooks["needsApproval"], "42")
    assert run["steps"][-1]["status"] == "waiting_approval"
    world.control("POST", f"runs/{run['id']}/approve", {})
    # The world has a run of its own, which may wait too.
    assert run["id"] not in [waiting["id"] for waiting in world.control("GET", "waiting")]


def test_a_500_is_sent_again_and_starts_one_run(world):
    world.control("POST", "inject", {"operation": "triggerRun", "status": 500})
    refund(world.base_url, world.keys["valid"], world.playbooks["succeeds"], "42")
    triggers = world.control("GET", "requests?operation=triggerRun")
    assert [trigger["response"]["status"] for trigger in triggers] == [500, 201]


def test_a_new_run_may_be_unreadable_at_first(world):
    world.control("POST", "inject", {"operation": "getRun", "status": 404, "times": 3})
    assert refund(world.base_url, world.keys["valid"], world.playbooks["succeeds"], "42")["status"] == "succeeded"


@pytest.mark.parametrize(
    "response",
    [
        {"body": {"id": "job_7", "run_id": "run_8Zt4Lm2c"}},
        {"body": {"id": "job_7", "run": {"id": "run_8Zt4Lm2c"}}},
        {"body": {"data": {"id": "run_8Zt4Lm2c"}}},
        {"body": "", "headers": {"Location": "/v1/runs/run_8Zt4Lm2c"}},
    ],
)
def test_the_id_of_a_run_may_be_elsewhere(world, response):
    world.control("POST", "inject", {"operation": "triggerRun", "status": 201, "after": "effect", **response})
    assert refund(world.base_url, world.keys["valid"], world.playbooks["succeeds"], "42")["id"] == "run_8Zt4Lm2c"


def test_a_run_whose_id_is_not_known_was_started(world):
    world.control("POST", "inject", {"operation": "triggerRun", "status": 204, "body": "", "after": "effect"})
    with pytest.raises(RuntimeError, match="A run was started, or may have been, and its id is not known"):
        refund(world.base_url, world.keys["valid"], world.playbooks["succeeds"], "42")


def test_a_key_without_permission_is_an_error(world):
    with pytest.raises(urllib.error.HTTPError) as refused:
        refund(world.base_url, world.keys["readOnly"], world.playbooks["succeeds"], "42")
    assert refused.value.code == 403
