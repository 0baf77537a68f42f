import { expect, it } from 'vitest'
import { type Attempt, whyInconclusive } from '../../src/tools/conformance/live/cases/inconclusive.js'

/** A trigger with a wrong body, which the service refuses as it must. */
const REFUSED: Attempt = {
  operation: 'triggerRun',
  what: 'triggerRun with a wrong body',
  expected: 400,
  orElse: [],
  isOptional: false,
  got: 400,
  isOutage: false,
  isDown: false,
  startsRun: false,
  isOwnKey: true,
  triggerStatus: 201,
  hasStarted: true,
}

it.each<[what: string, attempt: Partial<Attempt>, reason: string | undefined]>([
  ['a refusal', {}, undefined],
  ['an acceptance', { got: 201 }, undefined],
  ['a status that is as good', { got: 415, orElse: [415] }, undefined],
  ['no response', { got: 0, isOptional: true }, undefined],
  [
    'an outage',
    { isOutage: true, got: 503 },
    'The service was out of order when triggerRun with a wrong body was sent.',
  ],
  [
    'an operation that fails with right requests',
    { isDown: true, got: 500 },
    'triggerRun responds with a 5xx to right requests too, so nothing could be checked with wrong ones.',
  ],
  ['a 500 that may have started a run', { startsRun: true, got: 500 }, 'triggerRun with a wrong body got 500.'],
  ['a wrong key that has to wait', { expected: 401, isOwnKey: false, got: 429 }, 'Wrong keys got 429.'],
  [
    'a trigger that is refused even when it is right',
    { triggerStatus: 400, hasStarted: false },
    'A trigger with nothing wrong got 400, too: its inputs may be wrong, or the key may lack the permission.',
  ],
  ['another run in the way', { got: 409 }, 'A trigger got 409: another run may be in the way.'],
  ['a quota that is used up', { got: 402 }, 'A trigger got 402: the run quota may be used up.'],
  [
    'a quota before the permission',
    { expected: 403, isOwnKey: false, got: 429 },
    'A trigger got 429: the run quota may be used up and looked at before the permission, an order that is not stated.',
  ],
  [
    'a payment that is required before the permission',
    { expected: 403, isOwnKey: false, got: 402 },
    'A trigger got 402: the run quota may be used up and looked at before the permission, an order that is not stated.',
  ],
  [
    'a permission that may be missing',
    { triggerStatus: undefined, hasStarted: false, got: 403 },
    'A trigger got 403: the key may lack the permission.',
  ],
  [
    'a mistake that a service may accept',
    { isOptional: true, got: 201 },
    'Whether a service refuses triggerRun with a wrong body is not stated; it got 201.',
  ],
  ['a mistake that a service may accept, and that fails it', { isOptional: true, got: 500 }, undefined],
])('%s is inconclusive for this reason, or shows something', (_, attempt, reason) => {
  expect(whyInconclusive({ ...REFUSED, ...attempt })).toBe(reason)
})
