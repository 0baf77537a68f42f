import { type ConformanceOptions, checkConformance, type Report } from '../../src/conformance/index.js'
import {
  createSandbox,
  type DefaultKey,
  type DefaultPlaybook,
  type Sandbox,
  type SandboxOptions,
} from '../../src/sandbox/index.js'

type Service = Sandbox<DefaultKey, DefaultPlaybook>

/** An answer that a broken service may change before it is sent. */
export interface Answer {
  method: string
  /** Below the version segment, without the query. */
  path: string
  query: URLSearchParams
  key: string | undefined
  /** What the request brought. */
  sent: string
  /** How many requests came before. */
  number: number
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: a broken service may answer anything
  body: any
  /** The body as text, when it is no JSON. */
  text?: string | null
}

export type Change = (answer: Answer, sandbox: Service) => unknown

/** A time that passes only while somebody waits. */
export function fakeClock(onSleep: () => void = () => {}) {
  let time = 0
  return {
    now: () => time,
    async sleep(ms: number) {
      time += ms
      onSleep()
    },
  }
}

/** A sandbox whose answers are changed on their way. */
export function changed(sandbox: Service, change: Change): typeof fetch {
  let number = 0
  return async (input, init) => {
    const request = new Request(input, init)
    const { pathname, searchParams } = new URL(request.url)
    const sent = await request.clone().text()
    const response = await sandbox.fetch(request)
    const answer: Answer = {
      method: request.method,
      path: pathname.replace(/^\/v1/, ''),
      query: searchParams,
      key: request.headers.get('authorization')?.replace(/^Bearer ?/, ''),
      sent,
      number: number++,
      status: response.status,
      headers: new Headers(response.headers),
      body: await response.json(),
    }
    await change(answer, sandbox)
    const { status, headers, body, text } = answer
    return new Response(text === undefined ? JSON.stringify(body) : text, { status, headers })
  }
}

export interface Trial {
  /** Triggers this playbook of the sandbox; default nothing. */
  trigger?: 'succeeds' | 'needsApproval' | 'fails'
  rateLimit?: boolean
  options?: Partial<ConformanceOptions>
  sandbox?: Pick<SandboxOptions, 'plan'>
}

/** Everything is tried on a sandbox whose answers are changed; approvals are given at every wait. */
export async function tryService(
  change: Change = () => {},
  { trigger, rateLimit, options, sandbox: own }: Trial = {},
): Promise<Report> {
  const clock = fakeClock(() => {
    for (const { runs } of sandbox.state.workspaces)
      for (const { run } of runs)
        if (run.steps.some(({ status }) => status === 'waiting_approval') && ++waited > 1) sandbox.approve(run.id)
  })
  let waited = 0
  const sandbox = createSandbox({ clock, ...own })
  const { keys, playbooks, baseUrl } = sandbox
  return checkConformance({
    baseUrl,
    apiKey: keys.valid,
    readOnlyKey: keys.readOnly,
    otherWorkspaceKey: keys.otherWorkspace,
    hobbyKey: keys.hobby,
    trigger: trigger && playbooks[trigger],
    rateLimit,
    fetch: changed(sandbox, change),
    clock,
    ...options,
  })
}

/** Ids of the register by outcome. */
export const ids = (report: Report, outcome: string): string[] => [
  ...new Set(report.findings.filter((each) => each.outcome === outcome).map((each) => each.basis)),
]
