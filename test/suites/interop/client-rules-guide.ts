/** Runs what the guide "Test a client in any language" prints, in this folder, with this build in the place of the package. */
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { parse } from 'yaml'

const root = join(import.meta.dirname, '../../..')
const guide = readFileSync(join(root, 'docs/guides/client-rules.md'), 'utf8')
const block = (name: string): string => {
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
const shell = (command: string) => execFileSync('sh', ['-ec', command], { env, stdio: 'inherit' })

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
