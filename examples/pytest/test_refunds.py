import http.server
import socket
import threading
import urllib.error

import pytest
import refunds
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
        {"body": "", "headers": {"Location": "/v1/runs/run_8Zt4Lm2c"}, "status": 303},
    ],
)
def test_the_id_of_a_run_may_be_elsewhere(world, response):
    world.control("POST", "inject", {"operation": "triggerRun", "status": 201, "after": "effect", **response})
    assert refund(world.base_url, world.keys["valid"], world.playbooks["succeeds"], "42")["id"] == "run_8Zt4Lm2c"


def test_an_outage_while_polling_is_waited_for(world):
    world.control("POST", "inject", {"operation": "getRun", "status": 503, "times": 2})
    assert refund(world.base_url, world.keys["valid"], world.playbooks["succeeds"], "42")["status"] == "succeeded"


def test_a_wait_that_is_too_long_is_not_begun(world, monkeypatch):
    monkeypatch.setattr(refunds.time, "sleep", lambda seconds: pytest.fail(f"It sleeps {seconds} s."))
    world.control("POST", "inject", {"operation": "triggerRun", "status": 429, "retryAfter": 3600})
    with pytest.raises(urllib.error.HTTPError) as refused:
        refund(world.base_url, world.keys["valid"], world.playbooks["succeeds"], "42")
    assert refused.value.code == 429


def test_a_service_that_is_silent_is_given_up(monkeypatch):
    monkeypatch.setattr(refunds, "TIMEOUT", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as silent, pytest.raises(TimeoutError):
        refund(f"http://127.0.0.1:{silent.getsockname()[1]}/v1", "key", "pb_1", "42")


def test_a_redirect_is_not_followed_with_the_key():
    received = []

    class Service(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            received.append(self.path)
            self.send_response(302)
            self.send_header("Location", "/elsewhere")
            self.end_headers()

        do_GET = do_POST

    with http.server.HTTPServer(("127.0.0.1", 0), Service) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with pytest.raises(urllib.error.HTTPError) as redirected:
            refund(f"http://127.0.0.1:{server.server_port}/v1", "key", "pb_1", "42")
        server.shutdown()
    assert (redirected.value.code, received) == (302, ["/v1/playbooks/pb_1/runs"])


def test_a_run_whose_id_is_not_known_was_started(world):
    world.control("POST", "inject", {"operation": "triggerRun", "status": 204, "body": "", "after": "effect"})
    with pytest.raises(RuntimeError, match="A run was started, or may have been, and its id is not known"):
        refund(world.base_url, world.keys["valid"], world.playbooks["succeeds"], "42")


def test_a_key_without_permission_is_an_error(world):
    with pytest.raises(urllib.error.HTTPError) as refused:
        refund(world.base_url, world.keys["readOnly"], world.playbooks["succeeds"], "42")
    assert refused.value.code == 403
