"""A world for each test: its own runs, limits, faults and log. Start the sandbox before: npm run sandbox."""
import json
import os
import urllib.request
import uuid

import pytest

SANDBOX = os.environ.get("SANDBOX_URL", "http://127.0.0.1:4010")


class World:
    def __init__(self, name):
        self.url = f"{SANDBOX}/w/{name}"
        # Each GET of a run moves it on by a step, so that no test waits.
        made = self._request("PUT", "", {"progress": "poll"})
        self.base_url, self.keys, self.playbooks = made["baseUrl"], made["keys"], made["playbooks"]

    def control(self, method, command, body=None):
        """A request below /__sandbox/ of this world, such as control("POST", "inject", {"status": 500})."""
        return self._request(method, f"/__sandbox/{command}", body)

    def close(self):
        self._request("DELETE", "")

    def _request(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, method=method)
        with urllib.request.urlopen(request, timeout=10) as response:
            return json.loads(response.read() or b"null")


@pytest.fixture
def world():
    world = World(uuid.uuid4().hex)
    yield world
    world.close()
