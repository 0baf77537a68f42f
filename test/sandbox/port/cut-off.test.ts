import { expect, it } from 'vitest'
import { fetchResponse } from '../../../src/tools/sandbox/faults/apply.js'

/** What a reader gets of a response that is cut off. */
async function read(method: string, text: string, status = 200) {
  const { body } = fetchResponse(method, {
    status,
    headers: {},
    text,
    handled: undefined,
    logReason: undefined,
    connection: 'cutOff',
  })
  const reader = body?.getReader()
  let got = ''
  for (;;) {
    const next = await reader?.read().catch((error: Error) => error)
    if (next instanceof Error) return [got, next.message]
    if (next?.value === undefined) return [got, 'the end']
    got += new TextDecoder().decode(next.value)
  }
}

it.each([
  ['GET', 'abcdef', 200, ['abc', 'terminated']],
  ['GET', '', 200, ['', 'terminated']],
  ['HEAD', 'abcdef', 200, ['', 'the end']],
  ['GET', 'abcdef', 204, ['', 'the end']],
] as const)(
  'a reader of a response to %s with the body %j and the status %i that is cut off gets %j',
  async (method, text, status, expected) => {
    expect(await read(method, text, status)).toEqual(expected)
  },
)
