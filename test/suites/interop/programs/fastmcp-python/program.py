import asyncio
import json
import os

import httpx
from fastmcp import Client, FastMCP
from fastmcp.exceptions import ToolError


def tools_of(key):
    client = httpx.AsyncClient(base_url=os.environ["BASE_URL"], headers={"Authorization": f"Bearer {key}"})
    return Client(FastMCP.from_openapi(json.load(open("openapi.json")), client=client))


async def main():
    async with tools_of(os.environ["API_KEY"]) as tools:

        async def call(name, **arguments):
            return (await tools.call_tool(name, arguments)).structured_content

        playbooks = await call("listPlaybooks")
        assert playbooks["meta"]["total"] == len(playbooks["data"]) == 4
        run = await call("triggerRun", id=playbooks["data"][0]["id"], inputs={"order": "42"})
        for _ in range(100):
            run = await call("getRun", id=run["id"])
            if run["status"] in ("succeeded", "failed"):
                break
            await asyncio.sleep(0.05)
        assert run["status"] == "succeeded" and len(run["steps"]) == 2
        await refused("404", call("getRun", id="run_unknown"))
    async with tools_of(os.environ["LIMITED_KEY"]) as tools:
        await refused("429", tools.call_tool("listPlaybooks", {}))


async def refused(status, call):
    try:
        await call
    except ToolError as error:
        assert status in str(error), error
    else:
        raise AssertionError(f"no {status}")


asyncio.run(main())
