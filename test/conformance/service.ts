import { errorRateLimited } from '../../generated/examples.js'
import { type ConformanceOptions, checkConformance, type Report } from '../../src/tools/conformance/index.js'
import { renderHtml } from '../../src/tools/conformance/report/html.js'
import { renderJunit } from '../../src/tools/conformance/report/junit.js'
import { renderTable } from '../../src/tools/conformance/report/table.js'
import {
  createSandbox,
  type DefaultKey,
  type DefaultPlaybook,
  type Sandbox,
  type SandboxOptions,
} from '../../src/tools/sandbox/index.js'
import { errorOf } from '../support/fixtures.js'

export type Service = Sandbox<DefaultKey, DefaultPlaybook>

/** A response of the sandbox that a service under test may change before it is sent. */
export interface Served {
  method: string
  /** Below the version segment, without the query. */
  path: string
  query: URLSearchParams
  key: string | undefined
  request: Request
  /** The body of the request. */
  sent: string
  /** How many requests came before. */
  number: number
  /** The time of the service, in ms. */
  time: number
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: a broken service may respond with anything
  body: any
  /** The body as text or bytes, when it is not JSON. */
  text?: string | Uint8Array<ArrayBuffer> | null
}

export type Change = (served: Served, sandbox: Service) => unknown

/** Changes the responses to one kind of request. */
export const when =
  (which: (served: Served) => boolean, act: Change): Change =>
  (served, sandbox) =>
    which(served) ? act(served, sandbox) : undefined

/** Changes successes below a path. */
export const success = (path: RegExp, act: Change): Change =>
  when(({ status, path: own }) => status < 300 && path.test(own), act)

export const limited = (act: Change): Change => when(({ status }) => status === 429, act)

/** Responds with an error of the contract's shape. */
export const refuse = (served: Served, status: number, error = 'bad_request'): Served =>
  Object.assign(served, { status, body: errorOf({ error, message: 'It was refused.' }) })

/** Responds with a 429 of the rate limit. */
export function limit(served: Served, wait = 1): void {
  const body = { ...errorRateLimited, message: 'Over 60 requests per minute.', retry_after: wait }
  Object.assign(served, { status: 429, body })
  served.headers.set('retry-after', String(wait))
}

export const isTrigger = ({ method }: Served): boolean => method === 'POST'

/** A time that passes only while somebody waits. */
export function fakeClock(onSleep: () => void = () => {}) {
  let time = 0
  return {
    now: () => time,
    /** Time that passes without a wait, such as that of a response. */
    pass: (ms: number) => {
      time += ms
    },
    async sleep(ms: number) {
      time += ms
      onSleep()
    },
  }
}

/** A sandbox whose requests and responses are changed on their way. */
export function changed(
  sandbox: Service,
  change: Change,
  before: Before = (it) => it,
  now: () => number = () => 0,
  onRequest: () => void = () => {},
): typeof fetch {
  let number = 0
  return async (input, init) => {
    // A signal that a request follows is the dearest part of it, and nothing here is aborted.
    const { signal: _, ...rest } = init ?? {}
    const request = new Request(input, rest)
    const { pathname, searchParams } = new URL(request.url)
    onRequest()
    const sent = typeof init?.body === 'string' ? init.body : ''
    const response = await sandbox.fetch(await before(request))
    const served: Served = {
      method: request.method,
      path: pathname.replace(/^\/v\d+/, ''),
      query: searchParams,
      key: request.headers.get('authorization')?.replace(/^Bearer ?/, ''),
      request,
      sent,
      number: number++,
      time: now(),
      status: response.status,
      headers: new Headers(response.headers),
      body: await response.json(),
    }
    await change(served, sandbox)
    const { status, headers, body, text } = served
    return new Response(text === undefined ? JSON.stringify(body) : text, { status, headers })
  }
}

type Before = (request: Request) => Request | Promise<Request>

export interface Trial {
  /** Triggers this playbook of the sandbox; default nothing. */
  trigger?: 'succeeds' | 'needsApproval' | 'fails'
  rateLimit?: boolean
  /** How long each request takes to arrive, in ms. */
  latency?: number | ((number: number) => number)
  options?: Partial<ConformanceOptions>
  sandbox?: Pick<SandboxOptions, 'plan'>
  /** Changes a request before the sandbox gets it. */
  before?: Before
}

/** Everything is tried on a sandbox whose responses are changed; approvals are given at every wait. */
export async function tryService(
  change: Change = () => {},
  { trigger, rateLimit, latency = 0, options, sandbox: own, before }: Trial = {},
): Promise<Report & { runs: number }> {
  const clock = fakeClock(() => {
    for (const { runs } of sandbox.state.workspaces)
      for (const { run } of runs)
        if (run.steps.some(({ status }) => status === 'waiting_approval') && ++waited > 1) sandbox.approve(run.id)
  })
  let waited = 0
  let number = 0
  const pass = () => clock.pass(typeof latency === 'number' ? latency : latency(number++))
  const sandbox = createSandbox({ clock, ...own })
  const { keys, playbooks, baseUrl } = sandbox
  const report = await checkConformance({
    baseUrl,
    apiKey: keys.valid,
    readOnlyKey: keys.readOnly,
    otherWorkspaceKey: keys.otherWorkspace,
    hobbyKey: keys.hobby,
    trigger: trigger && playbooks[trigger],
    rateLimit,
    fetch: changed(sandbox, change, before, clock.now, pass),
    clock,
    ...options,
  })
  // One run is there from the start.
  return { ...report, runs: (sandbox.state.workspaces[0]?.runs.length ?? 1) - 1 }
}

/** Ids of the register by outcome. */
export const ids = (report: Report, outcome: string): string[] => [
  ...new Set(report.findings.filter((each) => each.outcome === outcome).map((each) => each.basis)),
]

/** A report in every form in which somebody reads it, with the control characters of a colour left out. */
export const printed = (report: Report): string[] => [
  JSON.stringify(report),
  renderHtml(report),
  renderJunit(report),
  renderTable(report, { colour: false, width: 120 }),
]
