import { STATUS } from '../../internal/status.js'
import { isSuccess } from '../contract.js'
import { callOf, type Session } from '../session.js'
import { counted, seconds } from '../text.js'
import { retryAfter } from '../transport.js'
import { exhaust, READ } from './burst.js'

/** Basis: S33. */
export async function waitSuffices(session: Session): Promise<boolean> {
  const { ledger, settings, transport } = session
  const { answer } = await exhaust(session)
  if (answer?.status !== STATUS.rateLimited) return false
  const wait = retryAfter(answer)
  if (wait > settings.maxWait) {
    ledger.skips(
      'S33',
      `The service asked for a wait of ${seconds(wait)}, which is longer than ${seconds(settings.maxWait)}.`,
    )
    return false
  }
  await transport.sleep(wait, 'the service answered 429')
  const after = await transport.sendOnce(callOf(session, READ))
  const what = `after the wait of ${seconds(wait)} that a 429 asked for, the request`
  if (after.status === STATUS.rateLimited)
    ledger.breaks('S33', `${what} was answered 429 again; another client of the workspace would explain it`, after)
  else if (isSuccess(after.status)) ledger.holds('S33', `${what} was answered ${after.status}`, after)
  return isSuccess(after.status)
}

/** How many requests are taken some time after the limit was met, and whether that is what the rate says. Basis: A19. */
export async function measureRefill(
  session: Session,
  requestsPerMinute: number,
): Promise<{ seen: string; even: boolean }> {
  const { ledger, settings, transport } = session
  await exhaust(session)
  const from = settings.clock.now()
  await transport.sleep((REFILLED / requestsPerMinute) * 60_000, 'to measure how the limit fills up again')
  const { taken, answer } = await exhaust(session)
  const elapsed = settings.clock.now() - from
  const expected = (elapsed / 60_000) * requestsPerMinute
  const seen = `${seconds(elapsed)} after the limit ${counted(taken, 'request')} were taken, and at ${requestsPerMinute} per minute ${Math.round(expected)} fill up in that time`
  const even = Math.abs(taken - expected) <= TOLERANCE
  if (!even) ledger.breaks('A19', seen, answer)
  return { seen, even }
}

/** How many requests to wait for. */
const REFILLED = 5
const TOLERANCE = 2
