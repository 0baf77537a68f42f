import type { BasisId, OperationId } from '../../generated/operations.js'

/**
 * `pass` and `fail` are of what is stated or derived, `confirmed` and `contradicted` of what was observed or assumed.
 * `discovered` is something that the contract does not name.
 */
export type Outcome = 'pass' | 'fail' | 'confirmed' | 'contradicted' | 'not-exercised' | 'discovered'

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
  notExercised: number
  discovered: number
}

export interface Report {
  /** False when anything stated or derived fails, or anything that `failOn` names. */
  passed: boolean
  /** What fails as well; left out when only what is stated or derived does. */
  failOn?: 'contradicted'
  /** False when it ended early; `remarks` says why. */
  complete: boolean
  baseUrl: string
  /** When it began, ISO 8601 in UTC. */
  startedAt: string
  /** In ms. */
  duration: number
  /** How many requests were sent. */
  requests: number
  summary: Summary
  /** Remarks on the whole report. */
  remarks: string[]
  /** In the order of the register, discoveries last. Every entry of the register has at least one. */
  findings: Finding[]
}
