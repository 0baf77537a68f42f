import { planIds, plans } from '../../../generated/contract.js'
import { listOf } from '../../support/fixtures.js'
import type { Behaviours, Json, PlannedStep, Stage, Step } from './types.js'

/** The plan of every workspace. */
export const PRO = { rate: plans.pro.requestsPerMinute, burst: plans.pro.burst }

const DATE = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/
const isRecord = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

export const authenticate: Stage = (c) => {
  const key = c.does.credentials(c)
  const principal = key === undefined ? undefined : c.does.accepts(c, key)
  if (!principal) return c.does.unauthorized(c, key)
  c.principal = principal
  return undefined
}
export const limit: Stage = (c) => {
  const wait = c.does.counted(c) ? c.does.take(c) : 0
  return wait > 0 ? c.does.limited(c, wait) : undefined
}
export const permit: Stage = (c) =>
  c.does.permitted(c) ? undefined : c.does.error(c, 403, 'forbidden', 'The API key lacks permission for this action.')
export const parameters: Stage = (c) => {
  const wrong = c.does.wrongParameter(c)
  return wrong === undefined ? undefined : c.does.error(c, 400, 'bad_request', wrong)
}
export const body: Stage = (c) => {
  const wrong = c.operation === 'triggerRun' ? c.does.wrongBody(c) : undefined
  return wrong === undefined ? undefined : c.does.error(c, 400, 'bad_request', wrong)
}
export const find: Stage = (c) => {
  if (c.operation === 'triggerRun' && c.does.findPlaybook(c)) return undefined
  if (c.operation === 'getRun' && c.does.findRun(c)) return undefined
  if (c.operation && !['triggerRun', 'getRun'].includes(c.operation)) return undefined
  return c.does.error(c, 404, 'not_found', 'The resource does not exist.')
}

/** The steps of a playbook as they are at `elapsed` ms after the start; steps that have not started are left out. */
function progress(planned: PlannedStep[], elapsed: number, approved: number | undefined): Step[] {
  const steps: Step[] = []
  let end = 0
  for (const { id, capability, takes, outcome } of planned) {
    if (elapsed < end) break
    const waits = outcome === 'waiting_approval'
    end = waits ? (approved ?? Number.POSITIVE_INFINITY) : end + takes
    const status = elapsed >= end ? (waits ? 'succeeded' : outcome) : waits ? outcome : 'running'
    steps.push({ id, status, ...(capability && { capability }) })
    if (status === 'failed') break
  }
  return steps
}

export const plain: Behaviours = {
  setUp: () => {},
  arrive: () => undefined,
  stages: [authenticate, limit, permit, parameters, body, find],
  credentials: (c) => /^Bearer (\S+)$/i.exec(c.request.headers.get('authorization') ?? '')?.[1],
  accepts: (c, key) => c.world.principals.find((principal) => principal.key === key),
  unauthorized: (c) => c.does.error(c, 401, 'unauthorized', 'The API key is missing or invalid.'),
  counted: (c) => c.operation !== 'triggerRun',
  bucket: (c) => c.principal.workspace.id,
  plan: () => PRO,
  sold: () => planIds.default,
  take(c) {
    const { rate, burst } = c.does.plan(c)
    const name = c.does.bucket(c)
    const { tokens, at } = c.world.buckets.get(name) ?? { tokens: burst, at: c.now }
    const filled = Math.min(burst, tokens + ((c.now - at) / 60_000) * rate + 1e-9)
    c.world.buckets.set(name, { tokens: filled >= 1 ? filled - 1 : filled, at: c.now })
    return filled >= 1 ? 0 : Math.ceil(((1 - filled) * 60) / rate)
  },
  limited: (c, wait) => ({
    status: 429,
    headers: { 'retry-after': String(wait) },
    body: {
      error: 'rate_limit_exceeded',
      message: `The limit of ${c.does.plan(c).rate} requests per minute is exceeded.`,
      retry_after: wait,
    },
  }),
  permitted: (c) => !c.principal.hobby && !(c.principal.readOnly && c.operation === 'triggerRun'),
  wrongParameter(c) {
    const pin = c.request.headers.get('service-version')
    if (pin !== null && !DATE.test(pin)) return 'The header Service-Version must be a date.'
    if (!c.operation?.startsWith('list')) return undefined
    const wrong = ['page', 'per_page'].find((name) => !/^[1-9]\d{0,9}$/.test(c.url.searchParams.get(name) ?? '1'))
    return wrong && `The parameter ${wrong} must be a positive integer.`
  },
  wrongBody(c) {
    if (!/^application\/json\s*(;|$)/i.test(c.request.headers.get('content-type') ?? ''))
      return 'The body must be application/json.'
    try {
      const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(c.body))
      if (!isRecord(value) || !isRecord(value.inputs)) return 'The body must have the object "inputs".'
      if (Object.keys(value).length > 1) return 'The body must have no property besides "inputs".'
      if (Object.values(value.inputs).some((input) => typeof input !== 'string')) return 'Inputs must be strings.'
      c.inputs = value.inputs as Record<string, string>
      return undefined
    } catch {
      return 'The body must be JSON in UTF-8.'
    }
  },
  findPlaybook: (c) => c.principal.workspace.playbooks.find(({ id }) => id === c.id),
  findRun: (c) => c.principal.workspace.runs.find(({ id }) => id === c.id),
  error: (_c, status, code, message) => ({ status, body: { error: code, message } }),
  workspace: ({ principal: { workspace } }) => ({ id: workspace.id, name: workspace.name }),
  items: ({ operation, principal: { workspace } }) =>
    operation === 'listProviders'
      ? workspace.providers.map((provider) => ({ ...provider }))
      : workspace.playbooks.map(({ id, name }) => ({ id, name, description: `${name}.` })),
  window: (c) => ({
    page: Number(c.url.searchParams.get('page') ?? 1),
    perPage: Number(c.url.searchParams.get('per_page') ?? 20),
  }),
  list(c) {
    const items = c.does.items(c)
    const { page, perPage } = c.does.window(c)
    const data = items.slice((page - 1) * perPage, page * perPage)
    return { status: 200, body: listOf(data, { total: items.length, page, per_page: perPage }) }
  },
  runId: (_c, opaque) => `run_${opaque}`,
  triggered: (c, run) => ({ status: 201, body: c.does.run(c, run) }),
  steps: (c, run) => progress(run.playbook.steps, c.now - run.at, run.approvedAt && run.approvedAt - run.at),
  shown: (_c, _run, steps) => steps,
  status(_c, run, steps) {
    if (steps.some(({ status }) => status === 'failed')) return 'failed'
    const all = steps.length === run.playbook.steps.length && steps.every(({ status }) => status === 'succeeded')
    return all ? 'succeeded' : 'running'
  },
  startedAt: (_c, run) => new Date(run.at).toISOString().replace(/\.\d+Z$/, 'Z'),
  run(c, run) {
    const steps = c.does.steps(c, run)
    const status = c.does.status(c, run, steps)
    return {
      id: run.id,
      status,
      playbook_id: run.playbook.id,
      started_at: c.does.startedAt(c, run),
      steps: c.does.shown(c, run, steps),
    }
  },
  finish: (_c, reply) => reply,
}
