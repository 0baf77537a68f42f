import { type BasisId, basis, operations } from '../../generated/operations.js'
import { summarize } from './ledger.js'
import { wrong } from './options.js'
import type { BaselineEntry, BaselineResult, Finding, Report } from './report.js'
import { isBinding } from './result.js'

/**
 * A report in which known failures do not fail, and what is stale or expired in the baseline does.
 *
 * @param today YYYY-MM-DD; default the day in UTC
 * @throws ConformanceError when an entry of the baseline is wrong
 */
export function applyBaseline(report: Report, baseline: readonly BaselineEntry[], today = dayOf(new Date())): Report {
  for (const [index, entry] of baseline.entries()) checkEntry(entry, index)
  const active = baseline.filter((entry) => !isExpired(entry, today))
  const findings = report.findings.map((finding) => {
    const entry = finding.outcome === 'fail' ? active.find((each) => applies(each, finding)) : undefined
    return entry
      ? { ...finding, outcome: 'known' as const, message: `${finding.message} (known: ${entry.reason})` }
      : finding
  })
  const results = baseline.map((entry) => resultOf(entry, report, today))
  const summary = summarize(findings)
  const isWrong = results.some(({ state }) => state === 'stale' || state === 'expired')
  return { ...report, findings, summary, passed: summary.fail === 0 && !isWrong, baseline: results }
}

/**
 * The baseline with which a report passes: entries that still apply and those that were not exercised stay as they are,
 * stale and expired ones go, and every other failure gets an entry.
 */
export function updateBaseline(
  report: Report,
  baseline: readonly BaselineEntry[],
  today = dayOf(new Date()),
): BaselineEntry[] {
  const kept = baseline.filter((entry) => /^(known|not-exercised)$/.test(resultOf(entry, report, today).state))
  const added: BaselineEntry[] = []
  for (const finding of report.findings) {
    if (finding.outcome !== 'fail' || [...kept, ...added].some((entry) => applies(entry, finding))) continue
    const { basis: id, operation, status, pointer, keyword, message } = finding
    added.push({
      basis: id,
      ...(operation !== undefined && { operation }),
      ...(status !== undefined && { status }),
      ...(pointer !== undefined && { pointer }),
      ...(keyword !== undefined && { keyword }),
      reason: `Written on ${today}, say why: ${message}`,
    })
  }
  return [...kept, ...added]
}

const FIELDS = ['basis', 'operation', 'status', 'pointer', 'keyword'] as const

const applies = (entry: BaselineEntry, finding: Finding): boolean =>
  FIELDS.every((field) => entry[field] === undefined || entry[field] === finding[field])

const isExpired = ({ expires }: BaselineEntry, today: string): boolean => expires !== undefined && expires < today

function resultOf(entry: BaselineEntry, { findings, complete }: Report, today: string): BaselineResult {
  const own = findings.filter((finding) => finding.basis === entry.basis && OF_BASIS.has(finding.outcome))
  const isSeen = own.some((finding) => finding.outcome === 'fail' && applies(entry, finding))
  const name = nameOf(entry)
  if (isExpired(entry, today))
    return {
      state: 'expired',
      entry,
      message: `${name} expired on ${entry.expires}. ${isSeen ? 'It still fails: mend it, or set another day.' : 'Remove the entry.'}`,
    }
  if (isSeen) return { state: 'known', entry, message: `${name} fails as the baseline says.` }
  // What a check that ended early did not reach may still fail.
  if (complete && own.length > 0 && own.every(({ outcome }) => outcome === 'pass'))
    return { state: 'stale', entry, message: `${name} was exercised and passed. Remove the entry.` }
  return { state: 'not-exercised', entry, message: `${name} was not seen.` }
}

/** What says whether a stated or derived entry was exercised. */
const OF_BASIS = new Set<Finding['outcome']>(['pass', 'fail'])

const nameOf = (entry: BaselineEntry): string =>
  FIELDS.flatMap((field) => (entry[field] === undefined ? [] : [String(entry[field])])).join(' ')

const dayOf = (date: Date): string => date.toISOString().slice(0, 10)

/** @throws ConformanceError which says what is wrong, in which entry, and what to write */
export function checkEntry(entry: unknown, index: number): asserts entry is BaselineEntry {
  const fail = (what: string) => wrong(`Entry ${index + 1} of the baseline ${what}`)
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry))
    throw fail('is no object. Write basis and reason, for example { basis: S08, reason: known since May }.')
  const {
    basis: id,
    operation,
    status,
    pointer,
    keyword,
    reason,
    expires,
    ...unknown
  } = entry as Record<string, unknown>
  const [other] = Object.keys(unknown)
  if (other !== undefined)
    throw fail(
      `has the unknown field ${JSON.stringify(other.slice(0, 40))}. It may have ${FIELDS.join(', ')}, reason and expires.`,
    )
  if (typeof id !== 'string' || !Object.hasOwn(basis, id))
    throw fail('names no entry of the register. Write its id as basis, for example S08.')
  if (!isBinding(id as BasisId))
    throw fail(`is about ${id}, which is ${basis[id as BasisId].kind} and never fails. Remove it.`)
  if (operation !== undefined && !Object.hasOwn(operations, String(operation)))
    throw fail(`names an operation that there is not. Write one of ${Object.keys(operations).join(', ')}.`)
  if (status !== undefined && !(Number.isInteger(status) && Number(status) >= 100 && Number(status) <= 599))
    throw fail('has a status that is no number from 100 to 599.')
  if (pointer !== undefined && (typeof pointer !== 'string' || !/^(\/.*)?$/s.test(pointer)))
    throw fail('has a pointer that is no JSON pointer. Write one such as /steps/0/id.')
  if (keyword !== undefined && typeof keyword !== 'string') throw fail('has a keyword that is no text.')
  if (typeof reason !== 'string' || reason.trim() === '') throw fail('has no reason. Say why the failure is known.')
  if (expires !== undefined && !isDay(expires)) throw fail('has an expires that is no day. Write it as YYYY-MM-DD.')
}

const isDay = (value: unknown): boolean =>
  typeof value === 'string' &&
  /^\d{4}-\d\d-\d\d$/.test(value) &&
  !Number.isNaN(Date.parse(value)) &&
  dayOf(new Date(value)) === value
