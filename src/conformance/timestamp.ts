/**
 * Whether a text that the schema allows is an ISO 8601 timestamp in UTC. The schema does not check that both date and time
 * have separators or neither has, and which years have a week 53 and which minutes a leap second.
 * Basis: S08; ISO 8601-1:2019.
 */
export const isTimestamp = (text: string): boolean =>
  (EXTENDED.test(text) || BASIC.test(text)) && hasWeek(text) && !OTHER_LEAP_SECOND.test(text)

/** Whether two timestamps are one moment; those that `Date` does not read have to be the same text. */
export const isSameMoment = (one: string, other: unknown): boolean =>
  other === one || Date.parse(one) === Date.parse(String(other))

const EXTENDED = /^\d{4}-(\d\d-\d\d|W\d\d-\d|\d{3})T\d\d(:\d\d(:\d\d)?)?([.,]\d+)?(Z|[+-]00(:00)?)$/i
const BASIC = /^\d{4}(\d{4}|W\d{3}|\d{3})T\d\d(\d\d(\d\d)?)?([.,]\d+)?(Z|[+-]00(00)?)$/i

/** Leap seconds are at the end of a day. */
const OTHER_LEAP_SECOND = /T(?!23:?59)\d\d:?\d\d:?60/i

/** A year has a week 53 when it begins or ends on a Thursday. */
function hasWeek(text: string): boolean {
  const [, year] = /^(\d{4})-?W53/.exec(text) ?? []
  return year === undefined || ['01-01', '12-31'].some((day) => new Date(`${year}-${day}`).getUTCDay() === THURSDAY)
}

const THURSDAY = 4
