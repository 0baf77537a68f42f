import { VERSION } from '../../support/fixtures.js'
import { plain } from './plain.js'
import type {
  Change,
  Context,
  Operation,
  Options,
  PlannedStep,
  Principal,
  Reply,
  Running,
  Workspace,
  World,
} from './types.js'

// A small in-memory implementation of the specification. Each behaviour is a function that a variation can replace.

const RELEASE = '2026-11-21'

function respond(c: Context): Reply {
  const { does, principal } = c
  if (c.operation === 'getCurrentWorkspace') return { status: 200, body: does.workspace(c) }
  if (c.operation === 'getRun') return { status: 200, body: does.run(c, does.findRun(c)!) }
  if (c.operation !== 'triggerRun') return does.list(c)
  const { runs } = principal.workspace
  const opaque = ((c.count * 2_654_435_761) >>> 0).toString(36).padStart(7, '0')
  const run = { id: does.runId(c, opaque), playbook: does.findPlaybook(c)!, at: c.now, inputs: c.inputs }
  runs.push(run)
  return does.triggered(c, run)
}

async function handle(c: Context): Promise<Reply> {
  const early = await c.does.arrive(c)
  if (early) return early
  for (const stage of c.does.stages) {
    const reply = await stage(c)
    if (reply) return reply
  }
  return respond(c)
}

const ROUTES: [string, RegExp, Operation][] = [
  ['GET', /^workspaces\/me$/, 'getCurrentWorkspace'],
  ['GET', /^playbooks$/, 'listPlaybooks'],
  ['GET', /^providers$/, 'listProviders'],
  ['POST', /^playbooks\/[^/]+\/runs$/, 'triggerRun'],
  ['GET', /^runs\/[^/]+$/, 'getRun'],
]
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

const action = (id: string, capability: string): PlannedStep => ({ id, capability, takes: 1000, outcome: 'succeeded' })
const PLANS: Record<'succeeds' | 'fails' | 'waits', PlannedStep[]> = {
  succeeds: [action('step_1', 'tickets.find'), action('step_2', 'billing.refund'), action('step_3', 'mail.send')],
  fails: [action('step_1', 'tickets.find'), { ...action('step_2', 'crm.update'), outcome: 'failed' }],
  waits: [
    action('step_1', 'tickets.find'),
    { id: 'step_2', takes: 0, outcome: 'waiting_approval' },
    action('step_3', 'billing.refund'),
  ],
}
function workspace(id: string, marks: [playbook: string, provider: string], playbooks: number): Workspace {
  const plans = Object.values(PLANS)
  const at = (index: number) => plans[index] ?? plans[0]!
  return {
    id,
    name: `Workspace ${id}`,
    playbooks: Array.from({ length: playbooks }, (_, index) => ({
      id: `pb_${marks[0]}${index + 1}`,
      name: `Playbook ${marks[0]}${index + 1}`,
      steps: at(index),
    })),
    providers: ['tickets', 'billing', 'mail', 'crm', 'chat'].map((name) => ({ id: `${name}${marks[1]}`, name })),
    runs: [],
  }
}

/** The keys, in the order of the principals of a world. */
const KEYS = {
  valid: 'wfk_5d81c0a7e2f94b36',
  readOnly: 'wfk_90be47f3a1c85d62',
  other: 'wfk_c36f18d05b7ea924',
  hobby: 'wfk_27a9e4b8f06d31c5',
}
function createWorld(now: number, sleep: World['sleep']): World {
  const [first, second, third] = [
    workspace('ws_acme', ['a', ''], 23),
    workspace('ws_bolt', ['b', '_b'], 4),
    workspace('ws_cove', ['c', '_c'], 1),
  ]
  const principals: Principal[] = [
    { key: KEYS.valid, workspace: first, readOnly: false, hobby: false },
    { key: KEYS.readOnly, workspace: first, readOnly: true, hobby: false },
    { key: KEYS.other, workspace: second, readOnly: false, hobby: false },
    { key: KEYS.hobby, workspace: third, readOnly: false, hobby: true },
  ]
  return { principals, created: now, buckets: new Map(), requests: 0, open: new Set(), sleep }
}

/** Lets other requests that have been sent meanwhile arrive, without time passing. */
async function yieldToOthers(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await undefined
}

/** Creates a service with the plain behaviours and the given changes, each made of the result of those before it. */
export function createService(changes: Change[], options: Options = {}): Running {
  const { now = Date.now } = options
  const wait = options.now ? yieldToOthers : (ms: number) => new Promise<void>((done) => setTimeout(done, ms))
  const world = createWorld(now(), options.sleep ?? wait)
  let does = plain
  for (const change of changes) does = { ...does, ...change(does) }
  does.setUp(world)

  async function fetch(input: Request | string | URL, init?: RequestInit): Promise<Response> {
    const request = new Request(input, init)
    const url = new URL(request.url)
    const path = url.pathname.replace(/^\/v\d+\//, '').split('/')
    const route = ROUTES.find(([method, pattern]) => method === request.method && pattern.test(path.join('/')))
    const c: Context = {
      ...{ does, world, request, url, path: path.map(decoded), operation: route?.[2], id: decoded(path[1] ?? '') },
      ...{ body: new Uint8Array(), inputs: {}, principal: world.principals[0]!, now: now(), count: ++world.requests },
      together: world.open.size > 0,
    }
    for (const other of world.open) other.together = true
    world.open.add(c)
    try {
      if (request.body) c.body = new Uint8Array(await request.arrayBuffer())
      const reply = does.finish(c, await handle(c))
      const text = reply.text ?? (reply.body === undefined ? null : JSON.stringify(reply.body))
      const type = text === null || reply.text !== undefined ? {} : { 'content-type': 'application/json' }
      const { status, statusText = '' } = reply
      return new Response(text, { status, statusText, headers: { ...type, ...reply.headers } })
    } finally {
      world.open.delete(c)
    }
  }

  const [valid, readOnly, other, hobby] = world.principals.map(({ key }) => key)
  const [succeeds, fails, waits] = world.principals[0]!.workspace.playbooks.map(({ id }) => id)
  return {
    ...{
      plan: does.sold(),
      fetch,
      baseUrl: `http://service.test${VERSION}`,
      keys: { valid: valid!, readOnly: readOnly!, other: other!, hobby: hobby! },
      inputs: { order: '42' },
      release: RELEASE,
    },
    playbooks: { succeeds: succeeds!, fails: fails!, waits: waits! },
    approve(id) {
      const run = world.principals.flatMap(({ workspace }) => workspace.runs).find((found) => found.id === id)
      if (run) run.approvedAt = now()
    },
  }
}
