import { rules } from '../../../generated/conformance.js'
import { isSafe } from '../contract.js'
import type { Checked } from '../judge/exchange.js'
import { failed, quote, type Result, text } from '../judge/result.js'
import { isListEnvelope } from '../judge/semantics.js'
import { successResults } from '../judge/status.js'
import { compareWorkspaces, sameItems } from '../judge/workspaces.js'
import type { ConformanceSettings } from '../options.js'
import { type Results, type Session, type Step, send } from '../session.js'
import { keyOf, type Shape, shapesOf, titleOf } from './shapes.js'

/** The same request gets the same again: the seventh time, after a minute, and among others. */
export function repetitionSteps(settings: ConformanceSettings): Step[] {
  const shapes = shapesOf(settings).filter(({ operation, isSuccess }) => isSafe(operation) && isSuccess)
  return shapes.flatMap((shape): Step[] => [
    { relation: 'repetition', tier: 4, requests: TIMES, run: (session) => repeat(session, shape, TIMES, false) },
    { relation: 'repetition', tier: 4, requests: AT_ONCE, run: (session) => repeat(session, shape, AT_ONCE, true) },
  ])
}

const TIMES = 8
const AT_ONCE = 8

async function* repeat(session: Session, shape: Shape, times: number, isConcurrent: boolean): Results {
  const before = session.facts.seen.get(keyOf(shape))
  const change = shape.change(session)
  if (!before || !change) return
  const one = () => send(session, shape.operation, { ...change, relation: 'repetition' })
  const exchanges = isConcurrent ? await Promise.all(Array.from({ length: times }, one)) : []
  for (let time = 0; time < times; time++) {
    const exchange = exchanges[time] ?? (await one())
    if (exchange.isOutage) return
    yield successResults(exchange, `${titleOf(shape)} once more`)
    if (exchange.isValid) yield sameResults(before, exchange)
  }
}

function sameResults(before: Checked, exchange: Checked): Result[] {
  const { operation, body } = exchange
  if (operation === 'getCurrentWorkspace') return compareWorkspaces(before.body, exchange, true)
  if (isListEnvelope(body)) return sameItems(before.body, exchange)
  const [was, is] = [before.body, body].map((each) => Object(each).id)
  const message = text`${operation} of ${quote(was)} must respond with it each time, and responds with ${quote(is)}`
  return typeof was === 'string' && was !== is ? [failed(rules.readsRun, message, { exchange, pointer: '/id' })] : []
}
