import { expect, it } from 'vitest'
import { readBytes } from '../../src/internal/http/read-bytes.js'

/** Reads ten bytes in two chunks. */
async function read(limit: number, discarded?: number) {
  let wasCancelled = false
  const chunks = [new Uint8Array([1, 2, 3, 4]), new Uint8Array([5, 6, 7, 8, 9, 10])]
  const stream = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const chunk = chunks.shift()
        if (chunk) controller.enqueue(chunk)
        else controller.close()
      },
      cancel() {
        wasCancelled = true
      },
    },
    { highWaterMark: 0 },
  )
  const { bytes, truncated, cancelled } = await readBytes(stream, limit, discarded)
  expect(wasCancelled).toBe(cancelled)
  return { bytes: [...bytes], truncated, cancelled }
}

const FIRST = [1, 2, 3, 4]
const ALL = [...FIRST, 5, 6, 7, 8, 9, 10]

it.each([
  ['as many bytes as it may have', 10, undefined, { bytes: ALL, truncated: false, cancelled: false }],
  ['more bytes than it may have', 9, undefined, { bytes: ALL, truncated: true, cancelled: true }],
  ['more bytes than it may have in its first chunk', 3, undefined, { bytes: FIRST, truncated: true, cancelled: true }],
  ['more bytes, which are read to their end', 3, 7, { bytes: FIRST, truncated: true, cancelled: false }],
  ['more bytes than are read to their end', 3, 6, { bytes: FIRST, truncated: true, cancelled: true }],
])('a stream of %s', async (_, limit, discarded, expected) => {
  expect(await read(limit, discarded)).toEqual(expected)
})

it('readBytes of null returns no bytes', async () => {
  expect(await readBytes(null, 10)).toEqual({ bytes: new Uint8Array(), truncated: false, cancelled: false })
})
