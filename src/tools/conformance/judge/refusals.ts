import { isTrigger } from '../../../internal/contract/operations.js'
import { findRunId } from '../../../internal/contract/run-id.js'
import { STATUS } from '../../../internal/contract/status.js'
import { percentDecoded } from '../../../internal/http/url.js'
import type { Exchange } from './exchange.js'

/** Texts of the resources that a key may see. */
export class Contents {
  /** What is in no other text: `ids` are looked for within texts as well, and others only as a whole value. */
  private readonly ids = new Set<string>()
  private readonly values = new Set<string>()
  /** Those of the workspace itself, which a key with too few permissions may be told. */
  private readonly ofWorkspace = new Set<string>()

  /** Learns from the body of a success. */
  add(body: unknown, isWorkspace: boolean): void {
    for (const { name, value } of stringsIn(body)) {
      if (!isTelling(value) || name === 'status') continue
      this.values.add(value)
      if (IS_ID.test(name) && /\d/.test(value)) this.ids.add(value)
      if (isWorkspace) this.ofWorkspace.add(value)
    }
  }

  addId(id: string): void {
    if (isTelling(id)) this.ids.add(id)
  }

  /** Something of a resource that a refusal shows, although its request did not name it. */
  shownBy({ request, text, body, headers }: Exchange, mayNameWorkspace: boolean): string | undefined {
    const all = [text.slice(0, MOST_CHARACTERS), headers.get('location') ?? ''].join('\n')
    const sent = `${percentDecoded(request.url) ?? request.url}\n${typeof request.body === 'string' ? request.body : ''}`
    const isShown = (value: string) => !sent.includes(value) && !(mayNameWorkspace && this.ofWorkspace.has(value))
    const found = [...this.ids].find((id) => all.includes(id) && isShown(id))
    // The words of an error are its own.
    const others = stringsIn(body).filter(({ name }) => name !== 'error' && name !== 'message')
    return found ?? others.find(({ value }) => this.values.has(value) && isShown(value))?.value
  }
}

/** How many characters of a body are looked at. */
const MOST_CHARACTERS = 100_000

const IS_ID = /(^|_)id$/

/** Whether a text belongs to one resource only: a short one, a number or a single common word is in other texts, too. */
const isTelling = (value: string): boolean =>
  value.length >= 6 && value.length <= 200 && /[\dA-Z ]/.test(value) && !/^[\d.,:TZ+-]+$/.test(value)

/** All strings in a body, with the names of their properties. */
function stringsIn(value: unknown, name = ''): { name: string; value: string }[] {
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
