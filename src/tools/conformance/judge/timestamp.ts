/**
 * Whether a text is an ISO 8601 timestamp in UTC. The pattern of the schema does not check which days, weeks and seconds
 * exist, and that both date and time have separators or neither has. Basis: S08; ISO 8601-1:2019.
 */
export function isTimestamp(text: string): boolean {
  const parts = FORM.exec(text)?.groups
  if (!parts) return false
  const { dash, colon, zone, hour, minute, second, fraction } = parts
  const isMixed = [colon, zone].some((each) => each !== undefined && (each === '') !== (dash === ''))
  const isEndOfDay = hour !== '24' || Number([minute, second, fraction].join('')) === 0
  const isLeapSecond = second !== '60' || (hour === '23' && minute === '59')
  return !isMixed && isEndOfDay && isLeapSecond && isCalendarDay(parts)
}

/** Whether two timestamps may be one moment: the one is as far from the other as the coarser of them is exact. */
export const isSameMoment = (one: string, other: unknown): boolean =>
  other === one ||
  (typeof other === 'string' &&
    isTimestamp(other) &&
    Math.abs(momentOf(one) - momentOf(other)) < Math.max(2, exactnessOf(one), exactnessOf(other)))

/** In ms since 1970. */
function momentOf(timestamp: string): number {
  const parts = FORM.exec(timestamp)?.groups ?? {}
  const { hour, minute = 0, second = 0, fraction = 0 } = parts
  const seconds = (Number(hour) * 60 + Number(minute)) * 60 + Number(second)
  return dateOf(parts).getTime() + seconds * 1_000 + Number(`0.${fraction}`) * unitOf(parts)
}

/** How exact a timestamp is, in ms. */
function exactnessOf(timestamp: string): number {
  const parts = FORM.exec(timestamp)?.groups ?? {}
  return unitOf(parts) / 10 ** (parts.fraction ?? '').length
}

/** The unit of the last whole number, in ms: only that has a fraction. */
const unitOf = ({ minute, second }: Parts): number =>
  second !== undefined ? 1_000 : minute !== undefined ? 60_000 : 3_600_000

const FORM =
  /^(?<year>\d{4})(?<dash>-?)(?:(?<month>\d\d)\k<dash>(?<day>\d\d)|W(?<week>\d\d)\k<dash>(?<weekday>\d)|(?<ordinal>\d{3}))T(?<hour>\d\d)(?:(?<colon>:?)(?<minute>\d\d)(?:\k<colon>(?<second>\d\d))?)?(?:[.,](?<fraction>\d+))?(?:Z|[+-]00(?:(?<zone>:?)00)?)$/i

type Parts = Record<string, string | undefined>

function isCalendarDay(parts: Parts): boolean {
  const { year, month, week, ordinal } = parts
  if (ordinal !== undefined) return dateOf(parts).getUTCFullYear() === Number(year)
  if (week === undefined) return dateOf(parts).getUTCMonth() + 1 === Number(month)
  // A year has a week 53 when it begins or ends on a Thursday.
  return (
    Number(week) < 53 || [dateOfDay(year, 1, 1), dateOfDay(year, 12, 31)].some((each) => each.getUTCDay() === THURSDAY)
  )
}

const THURSDAY = 4

function dateOf({ year, month, day, week, weekday, ordinal }: Parts): Date {
  if (ordinal !== undefined) return dateOfDay(year, 1, ordinal)
  if (week === undefined) return dateOfDay(year, month, day)
  // The first week of a year has its 4th of January, and each week begins on a Monday.
  const monday = 4 - ((dateOfDay(year, 1, 4).getUTCDay() + 6) % 7)
  return dateOfDay(year, 1, monday + (Number(week) - 1) * 7 + Number(weekday) - 1)
}

type Numeric = string | number | undefined
const dateOfDay = (year: Numeric, month: Numeric, day: Numeric): Date =>
  new Date(new Date(0).setUTCFullYear(Number(year), Number(month) - 1, Number(day)))
