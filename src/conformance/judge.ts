import { operationNodes } from '../../generated/conformance.js'
import { type Problem, type Schemas, validate, validateResponse } from '../../generated/validators.js'
import { blame, hasStatus, isSuccess, judgedStatus, successBasis, successStatusBasis } from './contract.js'
import { discoverHeaders } from './discover.js'
import type { Exchange } from './exchange.js'
import type { Ledger } from './ledger.js'
import { semanticProblems } from './semantics.js'
import { quote } from './text.js'
import { walk } from './walk.js'

/** Holds one answer against the contract: its status, content type, headers and body. */
export function judge(exchange: Exchange, ledger: Ledger): void {
  const { operation, status, headers, body } = exchange
  if (!exchange.response) return
  discoverHeaders(exchange, ledger)
  const known = judgedStatus(operation, status)
  if (!hasStatus(operation, status)) {
    const success = isSuccess(status) ? successStatusBasis(operation) : undefined
    ledger.discovers(
      success ?? successBasis(operation),
      `${operation} was answered ${status}, which is no status that the contract has for it`,
      { kind: 'status', operation, status },
      exchange,
      `${operationNodes[operation].place}#/responses`,
    )
  }
  if (!hasStatus(operation, known)) return
  const problems = problemsOf(exchange, known)
  for (const problem of problems) {
    const { id, place } = blame(operation, status, problem)
    ledger.breaks(id, `${operation} ${status}: ${problem.message}${butIs(problem, exchange)}`, exchange, place)
  }
  const response = operationNodes[operation].responses[known]
  if (problems.length === 0)
    for (const [name, ids] of Object.entries(response?.headers ?? {}))
      for (const id of ids.slice(0, 1))
        ledger.holds(id, `${operation} ${status} has ${name}: ${headers.get(name)}`, exchange, response?.place)
  const broken = new Set(problems.filter((each) => each.in === 'body').map(({ name }) => name))
  if (response?.schema && !broken.has('')) walk(response.schema, body, exchange, ledger, broken)
}

/** Whether a success is one that the contract allows; the judge tells the details. */
export const isSound = (answer: Exchange): boolean =>
  isSuccess(answer.status) && problemsOf(answer, judgedStatus(answer.operation, answer.status)).length === 0

function problemsOf({ operation, headers, body, text }: Exchange, status: number): Problem[] {
  const schema = operationNodes[operation].responses[status]?.schema as keyof Schemas | undefined
  if (schema && body === undefined) {
    const rest = validateResponse(operation, { status, headers }).filter((each) => each.in === 'header')
    const message = text === '' ? 'the body is missing' : `the body is not JSON: ${quote(text)}`
    return [
      ...rest,
      { in: 'body', name: '', pointer: '', keyword: text === '' ? 'required' : 'json', params: {}, message },
    ]
  }
  const problems = validateResponse(operation, { status, headers, body })
  const wrongType = problems.some(({ name }) => name === 'Content-Type')
  const hidden = wrongType && schema ? validate(schema, body) : []
  const all = [...problems, ...hidden]
  return [...all, ...(schema && all.every(({ name }) => name !== '') ? semanticProblems(schema, body, headers) : [])]
}

/** What there is instead, where a value is wrong. */
function butIs({ in: where, name, message }: Problem, { body, headers }: Exchange): string {
  if (!/ must (be|match|NOT)/.test(message) || name === '') return ''
  if (where === 'header') return `, and is ${quote(headers.get(name))}`
  const value = name.split('.').reduce<unknown>((at, part) => (at as Record<string, unknown> | null)?.[part], body)
  return value === undefined || typeof value === 'object' ? '' : `, and is ${quote(value)}`
}
