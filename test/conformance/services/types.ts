import type { PlanName } from '../../../src/shared/limit.js'

export type Operation = 'getCurrentWorkspace' | 'listPlaybooks' | 'triggerRun' | 'getRun' | 'listProviders'
export type Json = Record<string, unknown>

export interface Options {
  /** The clock, in ms since 1970. By default the real one. */
  now?: () => number
  /** Waits for that many ms. By default real time passes with the real clock, and none with another. */
  sleep?: (ms: number) => Promise<void>
}

/** A service that runs in process. */
export interface Running {
  fetch: (input: Request | string | URL, init?: RequestInit) => Promise<Response>
  baseUrl: string
  /** `readOnly` belongs to the workspace of `valid`, `other` to another one, `hobby` to one without API access. */
  keys: { valid: string; readOnly: string; other: string; hobby: string }
  /** Playbooks of the workspace of `valid`, by the outcome of their runs. */
  playbooks: { succeeds: string; fails: string; waits: string }
  /** Inputs that each of these playbooks accepts. */
  inputs: Record<string, string>
  /** A release that `Service-Version` may name. */
  release: string
  /** The plan that both workspaces have; undefined where the limits were arranged through support. */
  plan: PlanName | undefined
  /** Approves the step of a run that waits, as a person would. */
  approve: (run: string) => void
}

export interface Reply {
  status: number
  /** Sent as JSON. */
  body?: unknown
  /** Sent as it is, instead of `body`. */
  text?: string
  headers?: Record<string, string>
  statusText?: string
}

export interface PlannedStep {
  id: string
  capability?: string
  /** How long the step takes, in ms. */
  takes: number
  outcome: 'succeeded' | 'failed' | 'waiting_approval'
}
export interface Playbook {
  id: string
  name: string
  steps: PlannedStep[]
}
export interface Run {
  id: string
  playbook: Playbook
  /** When the run was triggered, in ms. */
  at: number
  inputs: Record<string, string>
  approvedAt?: number
}
export interface Step {
  id: string
  status: string
  capability?: string
}
export interface Workspace {
  id: string
  name: string
  playbooks: Playbook[]
  providers: { id: string; name: string }[]
  runs: Run[]
}
export interface Principal {
  key: string
  workspace: Workspace
  readOnly: boolean
  hobby: boolean
}

export interface World {
  principals: Principal[]
  /** When the service was created, in ms. */
  created: number
  buckets: Map<string, { tokens: number; at: number }>
  requests: number
  open: Set<Context>
  sleep: (ms: number) => Promise<void>
}

/** One request, and what is known of it. */
export interface Context {
  does: Behaviours
  world: World
  request: Request
  url: URL
  /** The segments below /v1, decoded. */
  path: string[]
  operation: Operation | undefined
  id: string
  body: Uint8Array
  inputs: Record<string, string>
  principal: Principal
  now: number
  /** The number of this request, from 1. */
  count: number
  /** Whether another request was open at the same time. */
  together: boolean
}

export type Stage = (c: Context) => Reply | undefined | Promise<Reply | undefined>

export interface Behaviours {
  /** Once, before the first request. */
  setUp(world: World): void
  /** Before anything else: what a gateway would do. */
  arrive: Stage
  stages: Stage[]
  credentials(c: Context): string | undefined
  accepts(c: Context, key: string): Principal | undefined
  unauthorized(c: Context, key: string | undefined): Reply
  counted(c: Context): boolean
  bucket(c: Context): string
  plan(c: Context): { rate: number; burst: number }
  /** The plan that the workspaces have bought. */
  sold(): Running['plan']
  /** Seconds until the request would be within the limit; 0 when it is. */
  take(c: Context): number
  limited(c: Context, wait: number): Reply
  permitted(c: Context): boolean
  /** What is wrong with the parameters, if anything is. */
  wrongParameter(c: Context): string | undefined
  /** What is wrong with the body, if anything is. */
  wrongBody(c: Context): string | undefined
  findPlaybook(c: Context): Playbook | undefined
  findRun(c: Context): Run | undefined
  error(c: Context, status: number, code: string, message: string): Reply
  workspace(c: Context): Json
  items(c: Context): Json[]
  window(c: Context): { page: number; perPage: number }
  list(c: Context): Reply
  runId(c: Context, opaque: string): string
  triggered(c: Context, run: Run): Reply
  steps(c: Context, run: Run): Step[]
  /** The steps as the response has them. */
  shown(c: Context, run: Run, steps: Step[]): Step[]
  status(c: Context, run: Run, steps: Step[]): string
  startedAt(c: Context, run: Run): string
  run(c: Context, run: Run): Json
  finish(c: Context, reply: Reply): Reply
}

/** Makes other behaviours of given ones; called for each service that is created, so that its state is its own. */
export type Change = (base: Behaviours) => Partial<Behaviours>

/** A service to measure a conformance kit with. */
export interface Service {
  name: string
  class: string
  kind: 'honest' | 'broken'
  /** Set when only many, late or simultaneous requests can show the fault. */
  depth?: 'thorough'
  /** The sentence of the specification that a broken service contradicts. */
  sentence?: string
  /** Why plain responses of an honest service do not match the document, where it assumes more than is stated. */
  beyond?: string
  create(options?: Options): Running
}
