// Starts `workflow-automation sandbox` as it is by default, runs a command against it, and meanwhile approves every step
// that waits.
import { spawn } from 'node:child_process'
import { setInterval } from 'node:timers'

const cli = `${process.env.ROOT}/dist/src/cli/index.js`
const sandbox = spawn(process.execPath, [cli, 'sandbox', '--port', '0'], { stdio: ['ignore', 'pipe', 'inherit'] })
process.on('exit', () => sandbox.kill())
let printed = ''
const url = await new Promise((found) =>
  sandbox.stdout.on('data', (text) => {
    printed += text
    const address = /http:\/\/[\d.]+:\d+/.exec(printed)
    if (address) found(address[0])
  }),
)

// A step is approved at the second look: by then the workflow, which polls every second, has seen it wait.
const seen = new Set()
const timer = setInterval(async () => {
  const { workspaces } = await (await fetch(`${url}/__sandbox/state`)).json()
  for (const { run } of workspaces.flatMap(({ runs }) => runs))
    if (run.steps.some(({ status }) => status === 'waiting_approval'))
      if (seen.has(run.id)) await fetch(`${url}/__sandbox/runs/${run.id}/approve`, { method: 'POST' })
      else seen.add(run.id)
}, 2_500)

const [command, ...args] = process.argv.slice(2)
spawn(command, [...args, '--server', `service=${url}/v1`], { stdio: 'inherit' }).on('close', (code) => {
  clearInterval(timer)
  process.exit(code ?? 1)
})
