import type { OperationId } from '../../../generated/contract.js'
import { type Exchange, exchangeOf } from '../../../src/tools/conformance/judge/exchange.js'
import type { Message } from '../../../src/tools/conformance/judge/result.js'
import { createPrinter } from '../../../src/tools/conformance/report/print.js'
import { VERSION } from '../../support/fixtures.js'

export interface Known {
  headers?: Record<string, string>
  /** The headers of the request. */
  sent?: Record<string, string>
  isUtf8?: boolean
  truncated?: boolean
  hasHeaders?: boolean
}

/** A response; undefined is a body that was not recorded, and a text one that is sent as it is. */
export const exchange = (
  operation: OperationId,
  status: number,
  body: unknown,
  { headers, sent, ...known }: Known = {},
): Exchange =>
  exchangeOf(
    operation,
    { method: 'GET', url: `https://workflow-automation.example${VERSION}`, headers: new Headers(sent) },
    {
      status,
      headers: new Headers({ 'content-type': 'application/json', ...headers }),
      text: typeof body === 'string' || body === undefined ? body : JSON.stringify(body),
      duration: 5,
      ...known,
    },
  )

/** A message as a report has it. */
export const printed = (message: Message): string => createPrinter([], true).message(message)
