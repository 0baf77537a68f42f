/**
 * A complete provider of the contract in Hono. Its store is in memory: replace it
 * with your database; the types stay.
 */
import {
  createService,
  type PlanChoice,
  type Service,
} from '@workflow-automation/contract/service'
import type {
  Playbook,
  Provider,
  Run,
  Workspace,
} from '@workflow-automation/contract/types'
import { Hono } from 'hono'

/** A playbook with the actions of its steps, `<provider>.<action>`. */
interface StoredPlaybook {
  playbook: Playbook & { id: string }
  capabilities: string[]
}

/** A run is stored as its start: its steps follow from the time that has passed. */
interface StoredRun {
  id: string
  stored: StoredPlaybook
  startedAt: number
}

interface Tenant {
  workspace: Workspace
  plan: PlanChoice
  playbooks: Map<string, StoredPlaybook>
  providers: Provider[]
  runs: Map<string, StoredRun>
}

/** What a key stands for. */
interface Grant {
  tenant: Tenant
  mayTrigger: boolean
}

/** Grants by the SHA-256 of their key, so that no store and no dump has a key. */
export type Grants = Map<string, Grant>

export function createProvider(grants: Grants): Service {
  return createService<Grant>({
    async authenticate(key, _request, operation) {
      const grant = grants.get(await sha256(key))
      if (!grant) return { status: 401 }
      return operation === 'triggerRun' && !grant.mayTrigger
        ? { status: 403 }
        : { context: grant }
    },
    // Requests are counted per workspace, whatever its keys.
    limit: ({ context: { tenant } }) => ({
      key: tenant.workspace.id ?? '',
      plan: tenant.plan,
    }),
    operations: {
      getCurrentWorkspace: ({ context }) => ({
        status: 200,
        body: context.tenant.workspace,
      }),
      listPlaybooks: ({ context, query }) =>
        listed(
          [...context.tenant.playbooks.values()].map(({ playbook }) => playbook),
          query,
        ),
      listProviders: ({ context, query }) => listed(context.tenant.providers, query),
      triggerRun({ context, path }) {
        const stored = context.tenant.playbooks.get(path.id)
        if (!stored) return { status: 404 }
        const run: StoredRun = {
          id: `run_${crypto.randomUUID()}`,
          stored,
          startedAt: Date.now(),
        }
        context.tenant.runs.set(run.id, run)
        return { status: 201, body: runOf(run) }
      },
      // A run of another workspace is not there: an id alone opens nothing.
      getRun({ context, path }) {
        const run = context.tenant.runs.get(path.id)
        return run
          ? { status: 200, body: runOf(run) }
          : { status: 404, body: { message: `There is no run ${path.id}.` } }
      },
    },
    onError: (error, { operation, requestId }) =>
      console.error({ operation, requestId, error }),
  })
}

/** A page of a list. The contract has no defaults or bounds: these are ours. */
function listed<T>(
  all: readonly T[],
  { page = 1, per_page = 20 }: { page?: number; per_page?: number },
) {
  if (page < 1 || per_page < 1)
    return {
      status: 400 as const,
      body: { message: 'page and per_page must be at least 1.' },
    }
  const data = all.slice((page - 1) * per_page, page * per_page)
  return {
    status: 200 as const,
    body: { data, meta: { total: all.length, page, per_page } },
  }
}

/** How long a step takes, in ms. */
const STEP = 500

function runOf({
  id,
  stored: { playbook, capabilities },
  startedAt,
}: StoredRun): Run {
  const finished = Math.floor((Date.now() - startedAt) / STEP)
  return {
    id,
    status: finished < capabilities.length ? 'running' : 'succeeded',
    playbook_id: playbook.id,
    started_at: new Date(startedAt).toISOString(),
    steps: capabilities.slice(0, finished + 1).map((capability, index) => ({
      id: `step_${index + 1}`,
      status: index < finished ? 'succeeded' : 'running',
      capability,
    })),
  }
}

async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest(
    'SHA-256',
    new TextEncoder().encode(text),
  )
  return [...new Uint8Array(digest)]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('')
}

/** The demo's workspace: one key may trigger runs, the other may only read. */
export async function demoGrants(): Promise<Grants> {
  const playbook = {
    id: 'pb_welcome',
    name: 'Welcome',
    description: 'Greets a new customer.',
  }
  const tenant: Tenant = {
    workspace: { id: 'ws_demo', name: 'Demo' },
    plan: { requestsPerMinute: 300, burst: 600 },
    playbooks: new Map([
      [playbook.id, { playbook, capabilities: ['crm.create_contact', 'mail.send'] }],
    ]),
    providers: [
      { id: 'crm', name: 'CRM' },
      { id: 'mail', name: 'Mail' },
    ],
    runs: new Map(),
  }
  return new Map([
    [await sha256('key_demo'), { tenant, mayTrigger: true }],
    [await sha256('key_reader'), { tenant, mayTrigger: false }],
  ])
}

export const service = createProvider(await demoGrants())

const app = new Hono()
app.get('/health', (c) => c.text('ok'))
app.all('/v1/*', (c) => service.fetch(c.req.raw))
export default app
