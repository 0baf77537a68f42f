import type { BasisId, OperationId } from '../../generated/operations.js'

/**
 * `pass` and `fail` are of what is stated or derived, `confirmed` and `contradicted` of what was observed or assumed.
 * `known` is a failure that stands in the baseline, `client` what a recorded client did and should not, `discovered`
 * something that the contract does not name.
 */
export type Outcome =
  | 'pass'
  | 'fail'
  | 'known'
  | 'confirmed'
  | 'contradicted'
  | 'client'
  | 'not-exercised'
  | 'discovered'

/** A request as the report shows it, without secrets. */
export interface SeenRequest {
  method: string
  url: string
  headers: Record<string, string>
  /** Left out when there is none, or when bodies are not wanted. */
  body?: string
}

/** A response as the report shows it, without secrets. A long body is cut. */
export interface SeenResponse {
  status: number
  headers: Record<string, string>
  /** Left out when bodies are not wanted, and when a recording does not hold it. */
  body?: string
  /** How long it took with its body, in ms. */
  duration: number
}

export interface Finding {
  /** The entry of the register that it is about. */
  basis: BasisId
  outcome: Outcome
  /** Undefined when it is about more than one operation. */
  operation: OperationId | undefined
  /** The status of the response; undefined without one. */
  status: number | undefined
  /** A sentence; for `not-exercised` it is the reason. */
  message: string
  /** What was seen, without what was expected. */
  fact: string | undefined
  /** Where the contract says it: `openapi.yaml` and a JSON pointer. */
  location: string | undefined
  /** Where in the body of the response, as a JSON pointer. RFC 6901. */
  pointer: string | undefined
  /** The JSON Schema keyword that fails, or the name of a rule that no keyword states. */
  keyword: string | undefined
  /** How often it was seen. */
  times: number
  /** The first exchange that shows it, without secrets. */
  request: SeenRequest | undefined
  response: SeenResponse | undefined
  /** What was discovered, for programs. */
  discovery: Discovery | undefined
}

/** Something that the contract does not name, and where it would have to. */
export type Discovery =
  | { kind: 'field'; schema: string; name: string; type: string }
  | { kind: 'value'; schema: string; value: string }
  | { kind: 'status'; operation: OperationId; status: number }
  | { kind: 'header'; name: string }

export interface Summary {
  /** How many entries of the register there are, and how many of them were exercised. */
  entries: number
  exercised: number
  /** Entries by outcome; `discovered` counts findings. */
  pass: number
  fail: number
  confirmed: number
  contradicted: number
  known: number
  client: number
  notExercised: number
  discovered: number
}

export interface Report {
  /**
   * False when anything stated or derived fails, anything that `failOn` names, or an entry of the baseline is stale or
   * expired.
   */
  passed: boolean
  /** What fails as well; left out when only what is stated or derived does. */
  failOn?: 'contradicted'
  /** False when it ended early or left something out; `remarks` says why. */
  complete: boolean
  baseUrl: string
  /** When it began, ISO 8601 in UTC. */
  startedAt: string
  /** In ms. */
  duration: number
  /** How many requests were sent, or validated from a recording. */
  requests: number
  summary: Summary
  /** Remarks on the whole report. */
  remarks: string[]
  /** In the order of the register, discoveries last. Every entry of the register has at least one. */
  findings: Finding[]
  /** What a recording holds of each operation; left out when the requests were sent. */
  coverage?: OperationCoverage[]
  /** What became of each entry of the baseline; left out without one. */
  baseline?: BaselineResult[]
}

/** The responses of an operation in a recording. */
export interface OperationCoverage {
  operation: OperationId
  /** By status, in ascending order: those of the contract, which may have come no time, and others that came. */
  responses: { status: number; times: number; withBody: number }[]
}

/** A failure that is known. It applies to every failure that has each of the fields it names. */
export interface BaselineEntry {
  basis: BasisId
  operation?: OperationId
  status?: number
  pointer?: string
  keyword?: string
  /** Why it is known, for people. */
  reason: string
  /** The last day on which it applies, YYYY-MM-DD in UTC. */
  expires?: string
}

/**
 * `known`: a failure was seen and does not fail. `stale`: the basis was exercised and passed. `expired`: its last day is
 * over. `not-exercised`: nothing is known about it. `stale` and `expired` fail.
 */
export interface BaselineResult {
  state: 'known' | 'stale' | 'expired' | 'not-exercised'
  entry: BaselineEntry
  /** What to do about it. */
  message: string
}
