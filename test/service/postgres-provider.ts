import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { repository } from '../support/project.js'
import { freePort } from '../support/redis.js'

const SERVER = join(repository, 'examples/provider-postgres/server.ts')

export interface Provider {
  origin: string
  process: ChildProcess
  printed(): string
}

/** Starts a process of the example, and waits until it is ready, or at least alive. */
export async function startProvider(env: Record<string, string>, path = '/ready'): Promise<Provider> {
  const port = await freePort()
  const child = spawn(process.execPath, ['--import', 'tsx', SERVER], {
    cwd: repository,
    env: { ...process.env, PORT: `${port}`, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (printed += chunk))
  const origin = `http://127.0.0.1:${port}`
  while ((await fetch(origin + path).catch(() => undefined))?.status !== 200) {
    if (child.exitCode !== null) throw new Error(`The provider ended with ${child.exitCode}: ${printed}`)
    await sleep(100)
  }
  return { origin, process: child, printed: () => printed }
}

export async function stop({ process: child }: Provider): Promise<number | null> {
  if (child.exitCode !== null) return child.exitCode
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  return (await exited)[0]
}

export const SEED = `
insert into workspaces (id, name, plan, requests_per_minute, burst, billing_email) values
  ('ws_1', 'Acme', 'pro', 600000, 100000, 'owner@acme.example'), ('ws_2', 'Globex', 'pro', 600000, 100000, null),
  ('ws_small', 'Small', 'pro', 60, 5, null), ('ws_hobby', 'Hobby', 'hobby', null, null, null);
insert into playbooks (workspace_id, id, name, description, actions) values
  ('ws_1', 'pb_welcome', 'Welcome', 'Greets a new customer.', '{crm.create_contact,mail.send}'),
  ('ws_1', 'pb_refund', 'Refund', 'Asks before it refunds.', '{crm.find_order,null,billing.refund}'),
  ('ws_1', 'pb_report', 'Report', 'Writes a report.', '{crm.export}'),
  ('ws_2', 'pb_other', 'Other', 'Of another workspace.', '{crm.export}');
insert into providers (workspace_id, id, name) values
  ('ws_1', 'crm', 'CRM'), ('ws_1', 'mail', 'Mail'), ('ws_1', 'billing', 'Billing'), ('ws_2', 'crm', 'CRM');
`
