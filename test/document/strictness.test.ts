import { expect, it } from 'vitest'
import { schemaNodes } from '../../generated/contract.js'
import { errorRateLimited, run } from '../../generated/examples.js'
import { isRateLimitBody, isRun, validateRequest } from '../../src/validators/index.js'

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

it('exactly the days of the calendar are valid as Service-Version (S40)', () => {
  const two = (number: number) => String(number).padStart(2, '0')
  const wrong: string[] = []
  for (const year of ['0001', '1900', '2000', '2023', '2024', '2100', '2400', '9999'])
    for (let month = 0; month <= 13; month++)
      for (let day = 0; day <= 32; day++) {
        const text = `${year}-${two(month)}-${two(day)}`
        const date = new Date(`${text}T00:00:00Z`)
        const exists = !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
        const problems = validateRequest('getCurrentWorkspace', { headers: { 'Service-Version': text } })
        if (exists !== (problems.length === 0)) wrong.push(text)
      }
  expect(wrong).toEqual([])
})
