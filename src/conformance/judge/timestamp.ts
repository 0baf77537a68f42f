/**
 * Whether a text is an ISO 8601 timestamp in UTC. The pattern of the schema does not check which days, weeks and seconds
 * exist, and that both date and time have separators or neither has. Basis: S08; ISO 8601-1:2019.
 */
export function isTimestamp(text: string): boolean {
  const parts = FORM.exec(text)?.groups
  if (!parts) return false
  const { dash, colon, zone, hour, minute = '0', second = '0', fraction = '0' } = parts
  const isMixed = [colon, zone].some((each) => each !== undefined && (each === '') !== (dash === ''))
  const isEndOfDay = hour !== '24' || Number(minute + second + fraction) === 0
  const isLeapSecond = second !== '60' || (hour === '23' && minute === '59')
  return !isMixed && isEndOfDay && isLeapSecond && isDay(parts)
}

/** Whether two timestamps may be one moment: the one is as far from the other as the coarser of them is exact. */
export const isSameMoment = (one: string, other: unknown): boolean =>
  other === one ||
  (typeof other === 'string' &&
    isTimestamp(other) &&
    Math.abs(Date.parse(one) - Date.parse(other)) < Math.max(2, unitOf(one), unitOf(other)))

/** How exact a timestamp is, in ms. */
function unitOf(text: string): number {
  const { minute, second, fraction } = FORM.exec(text)?.groups ?? {}
  if (fraction !== undefined) return 1_000 / 10 ** fraction.length
  return second !== undefined ? 1_000 : minute !== undefined ? 60_000 : 3_600_000
}

const FORM =
  /^(?<year>\d{4})(?<dash>-?)(?:(?<month>\d\d)\k<dash>(?<day>\d\d)|W(?<week>\d\d)\k<dash>\d|(?<ordinal>\d{3}))T(?<hour>\d\d)(?:(?<colon>:?)(?<minute>\d\d)(?:\k<colon>(?<second>\d\d))?)?(?:[.,](?<fraction>\d+))?(?:Z|[+-]00(?:(?<zone>:?)00)?)$/i

function isDay({ year = '', month, day, week, ordinal }: Record<string, string | undefined>): boolean {
  if (ordinal !== undefined) return Number(ordinal) > 0 && dayOf(year, 1, ordinal).getUTCFullYear() === Number(year)
  if (week === undefined) return dayOf(year, month, day).getUTCMonth() + 1 === Number(month)
  // A year has a week 53 when it begins or ends on a Thursday.
  return Number(week) < 53 || [dayOf(year, 1, 1), dayOf(year, 12, 31)].some((each) => each.getUTCDay() === THURSDAY)
}

const THURSDAY = 4

type Numeric = string | number | undefined
const dayOf = (year: Numeric, month: Numeric, day: Numeric): Date =>
  new Date(new Date(0).setUTCFullYear(Number(year), Number(month) - 1, Number(day)))
