import { type OperationId, operations } from '../../../generated/operations.js'
import type { PlaybookList, ProviderList } from '../../../generated/types.js'
import { isSuccess } from '../contract.js'
import type { Exchange } from '../exchange.js'
import { isSound } from '../judge.js'
import { callOf, type Session } from '../session.js'
import { quote } from '../text.js'
import type { Check } from './check.js'

type PagedId = { [Id in OperationId]: (typeof operations)[Id] extends { paged: true } ? Id : never }[OperationId]
type List = PlaybookList | ProviderList

const isPaged = (operation: OperationId): operation is PagedId => 'paged' in operations[operation]

/** The page that comes without parameters. Basis: A16. */
export function checkPage({ ledger }: Session, answer: Exchange): void {
  const { operation, body } = answer
  if (!isPaged(operation)) return
  const { meta } = body as List
  for (const [name, usual] of Object.entries(operations[operation].defaults)) {
    const own = meta[name as keyof typeof meta]
    if (own === usual) ledger.holds('A16', `without parameters ${name} is ${own}`, answer)
    else ledger.breaks('A16', `without parameters ${name} is assumed to be ${usual}, and is ${own}`, answer)
  }
}

/** The first two items of every list, one page each. Basis: A15. */
export const pagingChecks = (): Check[] =>
  (Object.keys(operations) as OperationId[]).filter(isPaged).map((operation) => ({
    name: `${operation} page by page`,
    requests: 2,
    async run(session) {
      const first = await page(session, operation, 1)
      const second = first && (await page(session, operation, 2))
      if (!first || !second) return
      const { data, meta } = first.body as List
      if (meta.total < 2) return session.ledger.skips('A15', 'No list had two items, so pages could not be told apart.')
      const items = [data, (second.body as List).data].map(([item]) => JSON.stringify(item))
      if (items[0] === items[1])
        session.ledger.breaks('A15', `${operation} answers the same item on page 1 and on page 2`, second)
    },
  }))

/** One page of one item, when it was answered as the contract assumes. */
async function page(session: Session, operation: PagedId, number: number): Promise<Exchange | undefined> {
  const { ledger, transport } = session
  const query = { page: String(number), per_page: '1' }
  const answer = await transport.send(callOf(session, operation, { query }))
  const what = `${operation}?${new URLSearchParams(query)}`
  if (!answer.response) return undefined
  if (!isSuccess(answer.status)) {
    ledger.breaks('A15', `${what} was answered ${answer.status}`, answer)
    return undefined
  }
  if (!isSound(answer)) return undefined
  const { data, meta } = answer.body as List
  const fits = data.length === Math.max(0, Math.min(1, meta.total - number + 1))
  if (meta.page === number && meta.per_page === 1 && fits) {
    ledger.holds('A15', `${what} answers that page`, answer)
    return answer
  }
  ledger.breaks('A15', `${what} answers ${data.length} of ${meta.total} items as ${quote(meta)}`, answer)
  return undefined
}
