/**
 * Runs what the guide "Test a client in any language" prints, and the `conftest.py` of "Test with the mock and the sandbox", in
 * this folder, with this build in the place of the package.
 */
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { parse } from 'yaml'

const root = join(import.meta.dirname, '../../..')
const block = (name: string, document = 'client-rules'): string => {
  const guide = readFileSync(join(root, `docs/guides/${document}.md`), 'utf8')
  const [, text] = new RegExp(`name=${name}\\n([\\s\\S]*?)\`\`\``).exec(guide) ?? []
  if (text === undefined) throw new Error(`The guide has no block ${name}.`)
  return text
}

// Stands in for npx, with options such as --yes before the package and its command behind.
mkdirSync('bin', { recursive: true })
writeFileSync(
  'bin/npx',
  `#!/bin/sh\n[ "$1" = --yes ] && shift\nshift\nexec '${process.execPath}' '${join(root, 'dist/src/tools/cli/index.js')}' "$@"\n`,
)
chmodSync('bin/npx', 0o755)
const env: NodeJS.ProcessEnv = { ...process.env, PATH: `${process.cwd()}/bin${delimiter}${process.env.PATH}` }
const shell = (command: string, cwd = '.') => execFileSync('sh', ['-ec', command], { cwd, env, stdio: 'inherit' })

writeFileSync('program.py', block('program'))
shell(block('exercise'))

writeFileSync('conftest.py', block('fixture'))
writeFileSync(
  'test_client.py',
  `import os
import time

import httpx


def test_waits(sandbox):
    sandbox.post("/inject", json={"status": 429, "retryAfter": 1}).raise_for_status()
    client = httpx.Client(base_url=os.environ["WORKFLOW_BASE_URL"])
    client.headers["Authorization"] = "Bearer " + os.environ["WORKFLOW_API_KEY"]
    assert client.get("/playbooks").status_code == 429
    time.sleep(float(os.environ.get("WAIT", "1")))
    assert client.get("/playbooks").status_code == 200
`,
)
const steps: { run?: string }[] = parse(block('github')).jobs.test.steps
for (const commands of [steps.flatMap(({ run }) => run ?? []), parse(block('gitlab')).test.script])
  for (const command of commands.filter((each: string) => !each.startsWith('pip'))) {
    shell(command)
    if (!readFileSync('rules.xml', 'utf8').includes('<testsuites name="client rules"'))
      throw new Error('No JUnit report.')
    env.WAIT = '0'
    let failed = false
    try {
      shell(command)
    } catch {
      failed = true
    }
    delete env.WAIT
    if (!failed) throw new Error('A client that does not wait must fail.')
  }

mkdirSync('worlds/node_modules/.bin', { recursive: true })
writeFileSync(
  'worlds/node_modules/.bin/workflow-automation',
  `#!/bin/sh\nexec '${process.execPath}' '${join(root, 'dist/src/tools/cli/index.js')}' "$@"\n`,
  { mode: 0o755 },
)
writeFileSync('worlds/conftest.py', block('conftest', 'testing'))
writeFileSync(
  'worlds/test_worlds.py',
  `import httpx
import pytest


@pytest.mark.parametrize("_", range(2))
def test_a_world_of_its_own(world, _):
    httpx.post(world["control"] + "/inject", json={"status": 503}).raise_for_status()
    headers = {"Authorization": "Bearer " + world["keys"]["valid"]}
    client = httpx.Client(base_url=world["baseUrl"], headers=headers)
    assert [client.get("/playbooks").status_code for _ in range(2)] == [503, 200]
    assert len(httpx.get(world["control"] + "/requests").json()) == 2
`,
)
shell('pytest', 'worlds')
