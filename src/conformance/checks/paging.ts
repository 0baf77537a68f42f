import { type OperationId, operations } from '../../../generated/operations.js'
import type { PlaybookList, ProviderList } from '../../../generated/types.js'
import { isSuccess, operationIds } from '../contract.js'
import type { Exchange } from '../exchange.js'
import { quote, text } from '../message.js'
import type { Checked } from '../sender.js'
import { type Check, requestFor, type Session } from '../session.js'

type PagedId = { [Id in OperationId]: (typeof operations)[Id] extends { paged: true } ? Id : never }[OperationId]
type List = PlaybookList | ProviderList

const isPaged = (operation: OperationId): operation is PagedId => 'paged' in operations[operation]

/** The page that comes without parameters. Basis: A16. */
export function checkFirstPage({ ledger }: Pick<Session, 'ledger'>, exchange: Exchange): void {
  const { operation, body } = exchange
  if (!isPaged(operation)) return
  const { data, meta } = body as List
  for (const [name, usual] of Object.entries(operations[operation].defaults)) {
    const own = meta[name as keyof typeof meta]
    if (own === usual) ledger.passes('A16', `without parameters ${name} is ${own}`, exchange)
    else
      ledger.fails('A16', `without parameters ${name} is assumed to be ${usual}, and is ${own}`, exchange, {
        pointer: `/meta/${name}`,
        fact: `without parameters ${name} was ${own}`,
      })
  }
  if (data.length === 0 && meta.total > 0)
    ledger.fails('A32', `${operation} without parameters has no item, and meta.total is ${meta.total}`, exchange)
}

/** The first two items of every list, one page each. Basis: A15, A32. */
export const pagingChecks = (): Check[] =>
  operationIds.filter(isPaged).map((operation) => ({
    name: `${operation} page by page`,
    requests: 2,
    async run(session) {
      const { facts, ledger } = session
      const first = await readPage(session, operation, 1)
      const second = first && (await readPage(session, operation, 2))
      if (!first || !second) return
      const totals = [facts.bodies[operation], first.body, second.body].map((body) => (body as List).meta.total)
      if (totals[0] !== totals[1] && totals[1] !== totals[2])
        ledger.fails('A32', `meta.total of ${operation} was ${totals.join(', then ')}`, second, { keyword: 'constant' })
      if (!isThatPage(session, first, 1) || !isThatPage(session, second, 2)) return
      if ((first.body as List).meta.total < 2)
        return ledger.skipped('A15', 'No list had two items, so pages could not be told apart.')
      const items = [first, second].map(({ body }) => JSON.stringify((body as List).data[0]))
      if (items[0] === items[1])
        ledger.fails('A15', `${operation} has the same item on page 1 and on page 2`, second, { keyword: 'page' })
    },
  }))

/** One page of one item, when the service responds with a valid list. */
async function readPage(session: Session, operation: PagedId, number: number): Promise<Checked | undefined> {
  const { ledger, facts, transport } = session
  const query = { page: String(number), per_page: '1' }
  const exchange = await transport.send(requestFor(session, operation, { query }))
  if (exchange.failure || facts.bodies[operation] === undefined) return undefined
  if (!isSuccess(exchange.status)) {
    const what = `${operation}?${new URLSearchParams(query)} got ${exchange.status}`
    ledger.fails('A15', what, exchange, { keyword: 'status', fact: what })
  }
  return exchange.isValid ? exchange : undefined
}

function isThatPage({ ledger }: Session, exchange: Exchange, number: number): boolean {
  const { data, meta } = exchange.body as List
  const what = `${exchange.operation}?page=${number}&per_page=1`
  const fits = data.length === Math.max(0, Math.min(1, meta.total - number + 1))
  const isPage = meta.page === number && meta.per_page === 1 && fits
  if (isPage) ledger.passes('A15', `${what} responds with that page`, exchange)
  else
    ledger.fails('A15', text`${what} responds with ${data.length} of ${meta.total} items as ${quote(meta)}`, exchange, {
      keyword: 'page',
    })
  return isPage
}
