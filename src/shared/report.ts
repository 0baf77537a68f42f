import type { BasisId, OperationId } from '../../generated/contract.js'

/**
 * `pass` and `fail` are about stated or derived entries, `confirmed` and `contradicted` about observed or assumed ones.
 * `known` is a failure that the baseline names, `client` a mistake of a recorded client, `discovered` something that the
 * contract lacks. Of a client, `fail` is a rule that it breaks, and `warning` advice.
 */
export type Outcome =
  | 'pass'
  | 'fail'
  | 'known'
  | 'confirmed'
  | 'contradicted'
  | 'client'
  | 'warning'
  | 'not-exercised'
  | 'discovered'

/** A request as a report shows it, without secrets. */
export interface SeenRequest {
  method: string
  url: string
  headers: Record<string, string>
  /** Undefined without a body, or with `bodies: false`. */
  body?: string
}

/** A response as a report shows it, without secrets. A long body is cut. */
export interface SeenResponse {
  status: number
  headers: Record<string, string>
  /** Undefined with `bodies: false`, and when it was not recorded. */
  body?: string
  /** The duration including the body, in ms. */
  duration: number
}

/** A group of findings that one fault explains has the same `basis` and `relation`. */
export interface Finding {
  /** The entry of the register. */
  basis: BasisId
  outcome: Outcome
  /** Undefined when it concerns several operations. */
  operation?: OperationId | undefined
  /** The status of the response; undefined without one. */
  status?: number | undefined
  /** A sentence; for `not-exercised` it is the reason. */
  message: string
  /** The actual value, without the expected one. */
  fact?: string | undefined
  /** The location in the contract: `openapi.yaml` and a JSON pointer. */
  location?: string | undefined
  /** The location in the body of the response, as a JSON pointer. RFC 6901. */
  pointer?: string | undefined
  /** The JSON Schema keyword that fails, or the name of a rule without a keyword. */
  keyword?: string | undefined
  /** What was expected and what came, without the rest of the sentence. */
  expected?: string | undefined
  actual?: string | undefined
  /** The relation that found it, such as `credentials`, and its variation, such as `without a key`. */
  relation?: string | undefined
  variation?: string | undefined
  /** How many results that relation had for this entry. */
  tried?: number | undefined
  /** How often it occurred. */
  times: number
  /** What of the entry the check could not decide, with its operation; undefined for nothing. */
  undecided?: string[]
  /** The request of a failure as a command of curl, with the key from the environment variable WORKFLOW_API_KEY. */
  curl?: string
  /** The first exchange with it, without secrets. */
  request?: SeenRequest | undefined
  response?: SeenResponse | undefined
  /** The discovery as data. */
  discovery?: Discovery | undefined
}

/** Something that the contract lacks, and the location to add it. */
export type Discovery =
  | { kind: 'field'; schema: string; name: string; type: string }
  | { kind: 'value'; schema: string; value: string }
  | { kind: 'status'; operation: OperationId; status: number }
  | { kind: 'header'; name: string }

export interface Summary {
  /** How many entries the register has, and how many were exercised. */
  entries: number
  exercised: number
  /** Entries by outcome; `discovered` counts findings. */
  pass: number
  fail: number
  confirmed: number
  contradicted: number
  known: number
  client: number
  /** Advice to a client; undefined in the report on a service. */
  warning?: number
  notExercised: number
  discovered: number
}

export interface Report {
  /** What is checked; undefined for a service. */
  subject?: 'client'
  /**
   * False when a stated or derived entry fails, one that `failOn` names, or an entry of the baseline is stale or
   * expired.
   */
  passed: boolean
  /** The further outcome that fails the report; undefined for none. */
  failOn?: 'contradicted'
  /** False when it ended early; `remarks` says why, and what else was left out. */
  complete: boolean
  baseUrl: string
  /** When it began, ISO 8601 in UTC. */
  startedAt: string
  /** In ms. */
  duration: number
  /** How many requests were sent, or validated from a recording. */
  requests: number
  summary: Summary
  /** How many variations were tried; undefined for a recording. */
  depth?: 'quick' | 'normal' | 'thorough'
  /** Remarks on the whole report. */
  remarks: string[]
  /** In the order of the register, discoveries last. Every entry of the register has at least one. */
  findings: Finding[]
  /** The responses of each operation, and the properties in them. */
  coverage: OperationCoverage[]
  /** The state of each entry of the baseline; undefined without one. */
  baseline?: BaselineResult[]
}

/** The responses that came of an operation. */
export interface OperationCoverage {
  operation: OperationId
  /** Whether the contract says that clients should no longer use it. */
  deprecated?: true
  /** By status, in ascending order: those of the contract, even if never recorded, and others that were. */
  responses: { status: number; times: number; withBody: number }[]
  /** Every property of the contract, by status and path, and whether one had a value. */
  properties: { name: string; seen: boolean }[]
}

/** A known failure. It applies to every failure that matches all of its fields. */
export interface BaselineEntry {
  basis: BasisId
  operation?: OperationId
  status?: number
  pointer?: string
  keyword?: string
  /** Why the failure is accepted, for people. */
  reason: string
  /** The last day on which it applies, YYYY-MM-DD in UTC. */
  expires?: string
}

/**
 * `known`: the failure occurred and does not fail the report. `stale`: the basis was exercised and passed. `expired`: its
 * last day is over. `not-exercised`: the check could not tell. `stale` and `expired` fail the report.
 */
export interface BaselineResult {
  state: 'known' | 'stale' | 'expired' | 'not-exercised'
  entry: BaselineEntry
  /** What to do, for people. */
  message: string
}
