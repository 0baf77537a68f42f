import { isSafe, probedOperations } from '../contract.js'
import { successResults } from '../judge/status.js'
import type { ConformanceSettings } from '../options.js'
import { type Results, type Session, type Step, send, sendTogether } from '../session.js'
import { consistent, mayBeMissing } from './reading.js'
import { type Shape, shapesOf, titleOf } from './shapes.js'

/** The same request gets the same again: several times in a row, and several at once. */
export const repetitionSteps = (settings: ConformanceSettings): Step[] =>
  probedOperations(settings)
    .filter(isSafe)
    .flatMap((operation) => shapesOf(operation, settings))
    .flatMap((shape) =>
      [true, false].map((isConcurrent) => ({
        relation: 'repetition',
        tier: 4,
        requests: TIMES,
        run: (session: Session) => repeat(session, shape, isConcurrent),
      })),
    )

const TIMES = 8

async function* repeat(session: Session, shape: Shape, isConcurrent: boolean): Results {
  const change = shape.change(session)
  if (!session.facts.seen.has(titleOf(shape)) || !change) return
  const one = () => send(session, shape.operation, { ...change, relation: 'repetition' })
  const together = Array.from({ length: TIMES }, () => ({ ...change, relation: 'repetition' }))
  const exchanges = isConcurrent ? await sendTogether(session, shape.operation, together) : []
  for (let time = 0; time < TIMES; time++) {
    const exchange = exchanges[time] ?? (await one())
    if (exchange.isOutage || mayBeMissing(session, exchange.status)) return
    yield successResults(exchange, `${titleOf(shape)} ${isConcurrent ? 'several times at once' : 'once more'}`)
    if (exchange.isValid) yield* consistent(session, exchange, change.query !== undefined)
  }
}
