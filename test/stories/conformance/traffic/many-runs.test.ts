import { expect, it } from 'vitest'
import { ids } from '../../../conformance/service.js'
import { check, run } from '../../../conformance/traffic/recording.js'

const pollOf = (id: string, at: number, changes: object = {}) => ({
  path: `/runs/${id}`,
  body: run({ id, ...changes }),
  at,
})

/** A run whose `started_at` changes, which contradicts A51, with as many others between its polls. */
const recordingOf = (others: number) =>
  check([
    pollOf('run_1', 0),
    ...Array.from({ length: others }, (_, index) => pollOf(`run_a${index}`, index + 1)),
    pollOf('run_1', others + 1, { started_at: '2026-11-21T09:30:00Z' }),
  ])

it('a run whose started_at changes contradicts A51 when up to 4,999 others were read meanwhile', async () => {
  expect(ids(await recordingOf(4_999), 'contradicted')).toEqual(['A51'])
})

it('a run is followed no longer when 5,000 others were read meanwhile, so that the memory stays bounded', async () => {
  expect(ids(await recordingOf(5_000), 'contradicted')).toEqual([])
})
