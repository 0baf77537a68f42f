import { expect, it } from 'vitest'
import { schemaNodes } from '../../generated/conformance.js'
import { errorRateLimited, run } from '../../generated/examples.js'
import { isRateLimitBody, isRun, isTriggeredRun, validate, validateRequest } from '../../generated/validators.js'

/** Forms of ISO 8601 in UTC; the first four are of RFC 3339 too. */
const STATED = [
  '2026-11-21T19:00:00Z',
  '2026-11-21T19:00:00.125Z',
  '2026-11-21T19:00:00+00:00',
  '2026-12-31T23:59:60Z',
  '2026-11-21T19:00:00+00',
  '2026-11-21T19:00:00+0000',
  '2026-11-21T19:00:00,125Z',
  '2026-11-21T19:00Z',
  '2026-11-21T19Z',
  '2026-11-21T24:00:00Z',
  '2026-11-21T24:00:00.000Z',
  '2024-366T19:00:00Z',
  '20261121T190000Z',
  '20261121T1900Z',
  '2026-325T19:00:00Z',
  '2026-W47-6T19:00:00Z',
]
const RFC_3339 = STATED.slice(0, 4)

const REFUSED = [
  '2026-11-21',
  '2026-11-21T19:00:00',
  '2026-11-21 19:00:00Z',
  '2026-11-21T19:00:00+02:00',
  '2026-13-21T19:00:00Z',
  '2026-11-32T19:00:00Z',
  '2026-11-21T25:00:00Z',
  '2026-11-21T19:61:00Z',
  '2026-11-21T24:01:00Z',
  '2026-000T19:00:00Z',
  '2026-399T19:00:00Z',
  '2026-11-21T19:00:00Z\n',
  'Sat, 21 Nov 2026 19:00:00 GMT',
  '1795287600',
  '',
]

const assumed = (schema: string, property: string, id: 'A28' | 'A33') =>
  new RegExp(schemaNodes[schema]?.properties?.[property]?.assumedPatterns?.[id] ?? '$.', 'u')

it.each(STATED)('%s is a valid started_at, because the source states ISO 8601 in UTC (S08)', (started_at) => {
  expect(isRun({ ...run, started_at })).toBe(true)
})

it.each(REFUSED)('%j is not a valid started_at, because it is not ISO 8601 in UTC (S08)', (started_at) => {
  expect(isRun({ ...run, started_at })).toBe(false)
})

it('RFC 3339 as the form of started_at is only assumed (A28)', () => {
  const pattern = assumed('Run', 'started_at', 'A28')
  expect(STATED.filter((text) => pattern.test(text))).toEqual(RFC_3339)
})

it('a 429 whose message spells the number out is valid, because digits are only assumed (A33)', () => {
  const message = 'Sixty requests per minute are allowed.'
  expect(isRateLimitBody({ ...errorRateLimited, message })).toBe(true)
  const pattern = assumed('RateLimitBody', 'message', 'A33')
  expect(pattern.test(message)).toBe(false)
  expect(pattern.test(errorRateLimited.message)).toBe(true)
})

const DAYS = ['0001', '1900', '2000', '2023', '2024', '2100', '2400', '9999'].flatMap((year) => daysOf(year))

it('exactly the days of the calendar are valid as Service-Version (S40)', () => {
  const isVersion = (text: string) =>
    validateRequest('getCurrentWorkspace', { headers: { 'Service-Version': text } }).length === 0
  expect(DAYS.filter(({ text, exists }) => isVersion(text) !== exists)).toEqual([])
})

it('exactly the days of the calendar are valid in a started_at, with or without hyphens (S08)', () => {
  const isStart = (started_at: string) => isRun({ ...run, started_at })
  const isNewStart = (started_at: string) => isTriggeredRun({ id: 'run_1', started_at })
  const wrong = ({ text, exists }: (typeof DAYS)[number]) =>
    [`${text}T19:00:00Z`, `${text.replaceAll('-', '')}T190000Z`].filter(
      (time) => isStart(time) !== exists || isNewStart(time) !== exists,
    )
  expect(DAYS.flatMap(wrong)).toEqual([])
})

it('exactly the leap years have a day 366 in a started_at (S08)', () => {
  const isValid = (day: string) => isRun({ ...run, started_at: `${day}T19:00:00Z` })
  const days = ['1900', '2000', '2023', '2024', '2026', '2100'].flatMap((year) => [`${year}-365`, `${year}366`])
  expect(days.filter((day) => !isValid(day))).toEqual(['1900366', '2023366', '2026366', '2100366'])
})

it('the message for a day that does not exist says that the contract excludes the value', () => {
  expect(validate('Run', { ...run, started_at: '2026-02-30T19:00:00Z' })).toMatchObject([
    { pointer: '/started_at', message: 'the body property "started_at" has a value that the contract excludes' },
  ])
})

/** Each combination of a month from 0 to 13 and a day from 0 to 32, and whether the calendar has it. */
function daysOf(year: string): { text: string; exists: boolean }[] {
  const two = (number: number) => String(number).padStart(2, '0')
  return Array.from({ length: 14 * 33 }, (_, index) => {
    const text = `${year}-${two(Math.floor(index / 33))}-${two(index % 33)}`
    const date = new Date(`${text}T00:00:00Z`)
    return { text, exists: !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text) }
  })
}
