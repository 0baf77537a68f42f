"""connexion routes, validates and mocks every operation of the document in OpenAPI 3.0."""

import json

from connexion import FlaskApp
from connexion.mock import MockResolver

document = json.load(open("openapi-3.0.json"))
document["components"]["securitySchemes"]["bearerAuth"]["x-bearerInfoFunc"] = "program.owner"


def owner(token):
    return {"sub": "workspace"} if token == "key" else None


if __name__ == "__main__":
    app = FlaskApp(__name__)
    app.add_api(document, base_path="/v1", resolver=MockResolver(mock_all=True), strict_validation=True)
    client = app.test_client(headers={"Authorization": "Bearer key"})
    for path, item in document["paths"].items():
        for method, operation in item.items():
            content = operation.get("requestBody", {}).get("content", {})
            examples = [each["value"] for media in content.values() for each in media["examples"].values()]
            body = {"json": examples[0]} if examples else {}
            response = client.request(method, "/v1" + path.replace("{id}", "any"), **body)
            assert response.status_code < 300, (operation["operationId"], response.text)
    assert client.get("/v1/playbooks?page=x").status_code == 400
    assert client.post("/v1/playbooks/any/runs", json={"inputs": {"order": 42}}).status_code == 400
    assert client.get("/v1/playbooks", headers={"Authorization": "Bearer other"}).status_code == 401
