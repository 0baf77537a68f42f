import type { OperationId } from '../../../../generated/contract.js'
import { isTrigger } from '../../../internal/contract/operations.js'
import { findRunId } from '../../../internal/contract/run-id.js'
import { STATUS } from '../../../internal/contract/status.js'
import { percentDecoded } from '../../../internal/http/url.js'
import { getOrCreate } from '../../../internal/maps.js'
import { READ_RUN } from './contract.js'
import type { Exchange } from './exchange.js'

/** Texts of the resources that a key may see. */
export class Contents {
  /** What is in no other text: `ids` are looked for within texts as well, and others only as a whole value. */
  private readonly ids = new Set<string>()
  private readonly values = new Set<string>()
  /** Those of the workspace itself, which a key with too few permissions may be told. */
  private readonly ofWorkspace = new Set<string>()
  /** The names and ids of resources. */
  private readonly own = new Set<string>()
  /** Names, and inputs of runs, that no error has by chance: they are looked for in its words as well. */
  private readonly names = new Set<string>()
  /** The resources in whose responses a property has a value, by both. */
  private readonly shownIn = new Map<string, Set<OperationId>>()

  /** Learns from the body of a success. */
  add(body: unknown, operation: OperationId): void {
    // A trigger shows a run.
    const resource = isTrigger(operation) ? READ_RUN : operation
    for (const { name, value } of stringsIn(body)) {
      if (!isTelling(value) || name === 'status') continue
      this.values.add(value)
      if (IS_ID.test(name) && /\d/.test(value)) this.ids.add(value)
      if (operation === 'getCurrentWorkspace') this.ofWorkspace.add(value)
      if (name === 'id' || name === 'name') this.own.add(value)
      if (name === 'name') this.addName(value)
      getOrCreate(this.shownIn, pairOf(name, value), () => new Set<OperationId>()).add(resource)
    }
  }

  /** Learns from the body of a trigger that started a run. */
  addInputs(body: unknown): void {
    for (const { value } of stringsIn(body)) this.addName(value)
  }

  private addName(value: string): void {
    if (isTelling(value) && /\S \S|\d/.test(value)) this.names.add(value)
  }

  addId(id: string): void {
    this.own.add(id)
    if (isTelling(id)) this.ids.add(id)
  }

  /** Whether the responses of several resources have it, such as a region, so that it tells of none. */
  private isOfService({ name, value }: Named): boolean {
    return !this.own.has(value) && (this.shownIn.get(pairOf(name, value))?.size ?? 0) > 1
  }

  /** A name or an input that a refusal tells another workspace, which does not have it, too. */
  toldBy(exchange: Exchange, theirs: string): string | undefined {
    const sent = sentIn(exchange)
    return [...this.names].find((name) => {
      const isShown = exchange.text.slice(0, MOST_CHARACTERS).includes(name)
      return isShown && !sent.includes(name) && !theirs.includes(name)
    })
  }

  /** Something of a resource that a refusal shows, although its request did not name it. */
  shownBy(exchange: Exchange, mayNameWorkspace: boolean): string | undefined {
    const { text, body, headers } = exchange
    const all = [text.slice(0, MOST_CHARACTERS), headers.get('location') ?? ''].join('\n')
    const sent = sentIn(exchange)
    const isShown = (value: string) => !sent.includes(value) && !(mayNameWorkspace && this.ofWorkspace.has(value))
    const strings = stringsIn(body)
    const ofService = new Set(strings.filter((each) => this.isOfService(each)).map(({ value }) => value))
    const found = [...this.ids].find((id) => all.includes(id) && isShown(id) && !ofService.has(id))
    // The words of an error are its own.
    const others = strings.filter(({ name, value }) => name !== 'error' && name !== 'message' && !ofService.has(value))
    return found ?? others.find(({ value }) => this.values.has(value) && isShown(value))?.value
  }
}

/** What a request names. */
const sentIn = ({ request }: Exchange): string =>
  `${percentDecoded(request.url) ?? request.url}\n${typeof request.body === 'string' ? request.body : ''}`

/** How many characters of a body are looked at. */
const MOST_CHARACTERS = 100_000

const IS_ID = /(^|_)id$/

/** Whether a text belongs to one resource only: a short one, a number or a single common word is in other texts, too. */
const isTelling = (value: string): boolean =>
  value.length >= 6 && value.length <= 200 && /[\dA-Z ]/.test(value) && !/^[\d.,:TZ+-]+$/.test(value)

interface Named {
  name: string
  value: string
}

const pairOf = (name: string, value: string): string => `${name}\n${value}`

/** All strings in a body, with the names of their properties. */
function stringsIn(value: unknown, name = ''): Named[] {
  if (typeof value === 'string') return [{ name, value }]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, each]) => stringsIn(each, Array.isArray(value) ? name : key))
}

/**
 * A run that a refusal of a trigger names or leads to, although it must have started none. An `id` alone may be that of the
 * error.
 */
export function runNamedIn({
  operation,
  status,
  headers,
  body,
}: Exchange): { id: string; isCertain: boolean } | undefined {
  if (!isTrigger(operation) || status < STATUS.badRequest || status >= STATUS.internalError) return undefined
  const found = findRunId(headers, body)
  return found && { id: found.id, isCertain: found.source !== 'id' && found.source !== 'data.id' }
}
