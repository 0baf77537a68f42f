"""The code under test: triggers a playbook and polls its run."""
import json
import re
import time
import urllib.error
import urllib.parse
import urllib.request


# How long to try, in seconds.
PATIENCE = 60
# How long a new run may be unreadable, in seconds.
UNREADABLE = 10
# How long an attempt may be silent, in seconds.
TIMEOUT = 30


class NoRedirect(urllib.request.HTTPRedirectHandler):
    """Raises a redirect as any other error: to follow it would send the key to its address."""

    def redirect_request(self, *_):
        return None


opener = urllib.request.build_opener(NoRedirect)


def call(base_url, key, path, body=None, unreadable=0):
    """Returns the headers and the body of a success; repeats a 404 for `unreadable` seconds."""
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    started = time.monotonic()
    while True:
        try:
            with opener.open(urllib.request.Request(base_url + path, data, headers), timeout=TIMEOUT) as response:
                return response.headers, response.read()
        except urllib.error.HTTPError as error:
            # To the run that was started.
            if error.code == 303 and data is not None:
                return error.headers, error.read()
            # A 500 is safe to send again, a trigger too; a 429 was refused. Other errors of a server only end a trigger.
            is_passing = error.code in (429, 500) or (error.code > 500 and data is None)
            longest = PATIENCE if is_passing else unreadable if error.code == 404 else 0
            after = error.headers.get("Retry-After") or ""
            wait = int(after) if after.isdigit() else 0.1
            if time.monotonic() - started + wait >= longest:
                raise
            time.sleep(wait)


def started_run(headers, text):
    """The id in the response to a trigger: what names a run explicitly comes first."""
    try:
        body = json.loads(text)
    except ValueError:  # such as no body
        body = None

    def at(name, value=body):
        return value.get(name) if isinstance(value, dict) else None

    address = re.search(r"/runs/([^/?#]+)/?([?#].*)?$", "/" + (headers.get("Location") or ""))
    located = address and urllib.parse.unquote(address[1])
    for found in at("run_id"), at("id", at("run")), located, at("id"), at("id", at("data")):
        if type(found) in (str, int) and found != "":
            return str(found)
    raise RuntimeError(f"A run was started, or may have been, and its id is not known: {text.decode(errors='replace')}")


def refund(base_url, key, playbook, order):
    """Returns the run when it has ended, when it waits for an approval, or after a minute."""
    triggered = call(base_url, key, f"/playbooks/{playbook}/runs", {"inputs": {"order": order}})
    path = f"/runs/{urllib.parse.quote(started_run(*triggered), safe='')}"
    deadline, unreadable = time.monotonic() + PATIENCE, UNREADABLE
    while True:
        run = json.loads(call(base_url, key, path, unreadable=unreadable)[1])
        unreadable = 0
        is_waiting = any(step["status"] == "waiting_approval" for step in run["steps"])
        has_ended = run["status"] in ("succeeded", "failed")  # any other status, also an unknown one, is no end
        if has_ended or is_waiting or time.monotonic() > deadline:
            return run
        time.sleep(0.02)
