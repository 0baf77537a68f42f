import { operationNodes } from '../../../generated/conformance/nodes.js'
import { examples } from '../../../generated/examples.js'
import { operations } from '../../../generated/operations.js'
import type { PlaybookList, Run } from '../../../generated/types.js'
import { parseJson } from '../../internal/json.js'
import { STEP_STATUS } from '../../internal/status.js'
import { type Schemas, validate } from '../../internal/validators.js'
import { documentedStatus, hasStatus, isSuccess } from '../contract.js'
import type { Exchange } from '../exchange.js'
import type { SafeExchange } from './read.js'

/** Collects recorded bodies as typed values, each distinct one once. */
export class Fixtures {
  private readonly sources = new Map<string, { json: string; type: string; of: string }>()
  private readonly known = new Set<string>()
  private size = 0

  add(exchange: SafeExchange['exchange']): void {
    const { operation, status, request, body, bodyState } = exchange
    const { request: sent, responses } = operationNodes[operation]
    const documented = documentedStatus(operation, status)
    const type = hasStatus(operation, documented) && responses[documented]?.schema
    const what = `${operation}: ${request.method} ${operations[operation].path}`
    if (type && bodyState === 'complete' && typeof body === 'object' && body)
      this.keep(`${operation}${scenarioOf(exchange)}`, body, type, `${what}, ${status}`)
    const sentBody = parseJson(request.body ?? '')
    if (sent && status < 300 && validate(sent as keyof Schemas, sentBody).length === 0)
      this.keep(`${operation}Request`, sentBody as object, sent, what)
  }

  private keep(base: string, body: object, type: string, of: string): void {
    if (this.size > MOST_TEXT) return
    let name = base
    for (let number = 2; this.sources.has(name); number++) {
      if (number > MOST) return
      name = `${base}${number}`
    }
    const identity = base + JSON.stringify(body, (key, value) => (/(^|_)(id|at)$/.test(key) ? '' : value))
    if (this.known.has(identity)) return
    this.known.add(identity)
    const json = JSON.stringify(body, null, 2).replaceAll(UNSEEN, escaped)
    this.size += json.length
    this.sources.set(name, { json, type, of })
  }

  /** A module that imports the types of the package only. */
  render(): string {
    const types = [...new Set([...this.sources.values()].map(({ type }) => type))].sort().join(', ')
    const values = [...this.sources].map(
      ([name, { json, type, of }]) => `\n/** ${of}. */\nexport const ${name} = ${json} satisfies Recorded<${type}>\n`,
    )
    return `${HEAD}\nimport type { ${types} } from '@workflow-automation/contract/types'\n\n${TYPE}${values.join('')}`
  }
}

/** Keeps a file readable: how many of one name, and how many characters in all. */
const MOST = 20
const MOST_TEXT = 500_000

const HEAD = `// Recorded: of each kind at most ${MOST} that differ. Secrets are replaced.\n`

// Responses may gain fields. Basis: A27.
const TYPE = `/** A type of the contract, and fields that the contract does not know. */
type Recorded<T> = T extends readonly (infer Item)[]
  ? Recorded<Item>[]
  : T extends object
    ? { [Name in keyof T]: Recorded<T[Name]> } & { [name: string]: unknown }
    : T
`

/** Characters that an editor does not show, or that change the direction of a line. */
const UNSEEN = /[\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g
const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/** As in the examples of the contract, with a capital: the status of a run, a page, or the meaning of an error. */
function scenarioOf({ operation, status, body }: Exchange): string {
  const { status: state, steps = [], data, meta } = body as Partial<Run & PlaybookList>
  const ofContract: Readonly<Record<number, object>> = examples[operation]
  if (!isSuccess(status)) return capital(Object.keys(ofContract[status] ?? {})[0] ?? String(status))
  if (typeof state === 'string')
    return capital(
      steps.some((step) => step.status === STEP_STATUS.waitingApproval) ? STEP_STATUS.waitingApproval : state,
    )
  if (data?.length === 0) return 'Empty'
  return (meta?.page ?? 1) > 1 ? `Page${meta?.page}` : ''
}

const capital = (text: string): string =>
  text.replaceAll(/(?:^|[^A-Za-z0-9]+)(\w?)/g, (_, first: string) => first.toUpperCase())
