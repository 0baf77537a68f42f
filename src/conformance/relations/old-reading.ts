import { operationNodes } from '../../../generated/conformance.js'
import { type OperationId, operations, protocol, queryDefaults } from '../../../generated/operations.js'
import type { PlaybookList, ProviderList } from '../../../generated/types.js'
import { STATUS } from '../../internal/status.js'
import { isSuccess, operationIds, readingOperations } from '../contract.js'
import type { Exchange } from '../exchange.js'
import { notFound } from '../options.js'
import { quote, text } from '../result.js'
import { followRun, isFollowable } from '../runs.js'
import { type Check, expectSuccess, type Session, send } from '../session.js'
import type { Checked } from '../validate.js'
import { compareWorkspaces } from './keys.js'

export const readingChecks = (): Check[] =>
  readingOperations.map((operation) => ({
    name: `${operation} with the key`,
    requests: 1,
    async run(session) {
      const exchange = await send(session, operation)
      if (expectSuccess(session, exchange, operation)) checkFirstPage(session, exchange)
    },
  }))

export const runCheck = (run: string): Check => ({
  name: `getRun of ${run}`,
  requests: 1,
  async run(session) {
    const exchange = await send(session, 'getRun', { path: { id: run } })
    if (exchange.status === STATUS.notFound) throw notFound('run', 'run')
    if (!expectSuccess(session, exchange, 'getRun')) return
    session.facts.runId = run
    if (isFollowable(exchange.body)) followRun(session.ledger, session.facts, run).poll(exchange.body, exchange)
  },
})

/** Pins a release on operations without an id: it must be accepted. Basis: S40, A26. */
export const pinChecks = (): Check[] =>
  readingOperations.flatMap((operation) =>
    operationNodes[operation].parameters
      .filter(({ name }) => name === protocol.versionHeader)
      .map(({ example }) => ({
        name: `${operation} pinned to a release`,
        requests: 1,
        run: (session) => checkPin(session, operation, session.settings.serviceVersion ?? String(example)),
      })),
  )

async function checkPin(session: Session, operation: OperationId, version: string): Promise<void> {
  const { ledger, facts, settings } = session
  const exchange = await send(session, operation, { headers: { [protocol.versionHeader]: version } })
  const { status } = exchange
  // A request that fails without a pin too shows nothing about the pin.
  if (facts.bodies[operation] === undefined || exchange.failure) return
  if (isSuccess(status)) {
    facts.pin = settings.serviceVersion
    if (operation === 'getCurrentWorkspace') compareWorkspaces(ledger, facts.bodies[operation], exchange, true)
  } else if (settings.serviceVersion !== undefined) {
    const what = `${operation} pinned to ${version} must get what a request without a pin gets`
    ledger.fails('S40', `${what}, and got ${status}`, exchange)
  } else {
    const fact = `pinned to ${version}, which may be no release, got ${status}`
    ledger.fails('A26', `${operation} ${fact}`, exchange, { keyword: 'status', fact: `a request ${fact}` })
  }
}

type PagedId = { [Id in OperationId]: (typeof operations)[Id] extends { paged: true } ? Id : never }[OperationId]
type List = PlaybookList | ProviderList

const isPaged = (operation: OperationId): operation is PagedId => 'paged' in operations[operation]

/** The page that is returned without parameters. Basis: A16. */
export function checkFirstPage({ ledger }: Pick<Session, 'ledger'>, exchange: Exchange): void {
  const { operation, body } = exchange
  if (!isPaged(operation)) return
  const { data, meta } = body as List
  for (const [name, usual] of Object.entries(queryDefaults[operation])) {
    const own = meta[name as keyof typeof meta]
    const fact = `without parameters ${name} was ${own}`
    const details = { pointer: `/meta/${name}`, fact }
    ledger.records('A16', own === usual, `${fact}; it is assumed to be ${usual}`, exchange, details)
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
        return ledger.skipped('A15', 'No list had two items, so pages could not be distinguished.')
      const items = [first, second].map(({ body }) => JSON.stringify((body as List).data[0]))
      if (items[0] === items[1])
        ledger.fails('A15', `${operation} has the same item on page 1 and on page 2`, second, { keyword: 'page' })
    },
  }))

/** One page of one item, if the response is a valid list. */
async function readPage(session: Session, operation: PagedId, number: number): Promise<Checked | undefined> {
  const { ledger, facts } = session
  const query = { page: String(number), per_page: '1' }
  const exchange = await send(session, operation, { query })
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
  const seen = text`${what} responds with ${data.length} of ${meta.total} items as ${quote(meta)}`
  ledger.records('A15', isPage, seen, exchange, { keyword: 'page' })
  return isPage
}
