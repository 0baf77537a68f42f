import json
import urllib.request


def playbooks(made):
    headers = {"Authorization": f"Bearer {made['keys']['valid']}"}
    with urllib.request.urlopen(urllib.request.Request(f"{made['baseUrl']}/playbooks", headers=headers)) as response:
        return json.load(response)["data"]


def test_a_test_has_a_world(world):
    assert playbooks(world)


def test_the_next_test_has_another_world(world):
    assert world["baseUrl"].count("/w/") == 1
    assert playbooks(world)
