import { type BasisId, basis, operations, retired } from '../../../../generated/contract.js'
import { integer, type OptionRules, oneOf, rule } from '../../../internal/options.js'
import type { BaselineEntry, BaselineResult, Finding, Report } from '../../../shared/report.js'
import { wrongOption } from '../errors.js'
import { isBinding } from '../judge/contract.js'
import { checkOptions, isText } from '../options.js'
import { hasPassed, summarize } from './ledger.js'

/**
 * A report in which known failures do not fail, and stale or expired entries of the baseline do.
 *
 * @param today YYYY-MM-DD; default the day in UTC
 * @throws ConformanceError when an entry of the baseline is invalid
 */
export function applyBaseline(report: Report, given: readonly BaselineEntry[], today = dayOf(new Date())): Report {
  checkBaseline(given)
  const baseline = given.flatMap(withSuccessors)
  if (!isDay(today)) throw wrongOption('today must be a day, written as YYYY-MM-DD.')
  const active = baseline.filter((entry) => !isExpired(entry, today))
  const findings = report.findings.map((finding) => {
    const entry = fails(report, finding) ? active.find((each) => applies(each, finding)) : undefined
    return entry
      ? { ...finding, outcome: 'known' as const, message: `${finding.message} (known: ${entry.reason})` }
      : finding
  })
  const results = baseline.map((entry) => baselineResult(entry, report, today))
  const applied = { ...report, findings, summary: summarize(findings), baseline: results }
  return { ...applied, passed: hasPassed(applied) }
}

/**
 * The baseline with which a report passes: entries that still apply or were not exercised stay unchanged,
 * stale and expired ones are removed, and every other failure gets an entry.
 */
export function updateBaseline(
  report: Report,
  given: readonly BaselineEntry[],
  today = dayOf(new Date()),
): BaselineEntry[] {
  const baseline = given.flatMap(withSuccessors)
  const kept = baseline.filter((entry) => /^(known|not-exercised)$/.test(baselineResult(entry, report, today).state))
  const added: BaselineEntry[] = []
  for (const finding of report.findings) {
    if (!fails(report, finding) || [...kept, ...added].some((entry) => applies(entry, finding))) continue
    const fields = FIELDS.flatMap((field) => (finding[field] === undefined ? [] : [[field, finding[field]]]))
    const reason = `Written on ${today}, say why: ${finding.message}`
    added.push({ ...Object.fromEntries(fields), reason })
  }
  return [...kept, ...added]
}

/** An entry that names a retired id names those that replaced it, as far as a service fails them. */
function withSuccessors(entry: BaselineEntry): BaselineEntry[] {
  const successors = successorsOf(entry.basis).filter(isBinding)
  return successors.length > 0 ? successors.map((id) => ({ ...entry, basis: id })) : [entry]
}

const successorsOf = (id: string): readonly BasisId[] => (Object.hasOwn(retired, id) ? (retired[id] ?? []) : [])

const FIELDS = ['basis', 'operation', 'status', 'pointer', 'keyword'] as const

/** Whether a finding fails the check, unless the baseline has it. */
const fails = ({ failOn }: Pick<Report, 'failOn'>, { outcome }: Finding): boolean =>
  outcome === 'fail' || outcome === failOn

const applies = (entry: BaselineEntry, finding: Finding): boolean =>
  FIELDS.every((field) => entry[field] === undefined || entry[field] === finding[field])

const isExpired = ({ expires }: BaselineEntry, today: string): boolean => expires !== undefined && expires < today

function baselineResult(entry: BaselineEntry, report: Report, today: string): BaselineResult {
  const { findings, complete } = report
  const isKept = ({ outcome }: Finding) => outcome === 'pass' || outcome === 'confirmed'
  const own = findings.filter((each) => each.basis === entry.basis && (isKept(each) || fails(report, each)))
  const isSeen = own.some((finding) => fails(report, finding) && applies(entry, finding))
  const name = FIELDS.flatMap((field) => entry[field] ?? []).join(' ')
  const result = (state: BaselineResult['state'], what: string) => ({ state, entry, message: `${name} ${what}` })
  if (isExpired(entry, today)) {
    const advice = isSeen ? 'It still fails: mend it, or set another day.' : 'Remove the entry.'
    return result('expired', `expired on ${entry.expires}. ${advice}`)
  }
  const successors = successorsOf(entry.basis)
  if (successors.length > 0)
    return result('stale', `is retired, and nothing fails ${successors.join(', ')}. Remove the entry.`)
  if (isSeen) return result('known', 'fails as the baseline says.')
  // An entry that a check did not reach before it ended early may still fail.
  if (complete && own.length > 0 && own.every(isKept))
    return result('stale', 'was exercised and passed. Remove the entry.')
  return result('not-exercised', 'was not seen.')
}

const isDay = (value: unknown): boolean => isText(value) && Date.parse(value) >= 0 && dayOf(new Date(value)) === value

const dayOf = (date: Date): string => date.toISOString().slice(0, 10)

/** @throws ConformanceError that names the entry, the mistake and the remedy */
export function checkBaseline(entries: unknown): asserts entries is BaselineEntry[] {
  if (!Array.isArray(entries)) throw wrongOption('The baseline must be a list of entries.')
  for (const [index, entry] of entries.entries())
    checkOptions(entry, BASELINE_RULES, ['basis', 'reason'], `Entry ${index + 1} of the baseline is wrong: `)
}

const BASELINE_RULES: OptionRules<BaselineEntry> = {
  basis: rule(
    (value) => isText(value) && (Object.hasOwn(retired, value) || Object.hasOwn(basis, value)),
    'the id of an entry of the register, for example S08',
  ),
  operation: oneOf(...Object.keys(operations)),
  status: integer(100, 599),
  pointer: rule((value) => isText(value) && /^(\/|$)/.test(value), 'a JSON pointer such as /steps/0/id'),
  keyword: rule(isText, 'a string'),
  reason: rule((value) => isText(value) && value.trim() !== '', 'a string that says why the failure is known'),
  expires: rule(isDay, 'a day, written as YYYY-MM-DD'),
}
