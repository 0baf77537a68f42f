import { expect, it } from 'vitest'
import { LIST } from '../support/server.js'
import { inVirtualTime } from '../support/virtual-time.js'

it.each<[Record<string, string>, number]>([
  [{}, 60],
  [{ 'cache-control': 'private, max-age=300' }, 60],
  [{ 'cache-control': 'no-store' }, 0],
  [{ 'cache-control': 'private, No-Cache' }, 0],
  [{ 'cache-control': 'max-age=0' }, 0],
  [{ 'cache-control': 'public, max-age=20' }, 20],
  [{ 'cache-control': 'max-age=50', age: '20' }, 30],
  [{ age: '45' }, 15],
  [{ age: '60' }, 0],
  [{ vary: '*' }, 0],
  [{ vary: 'accept' }, 60],
])('a list with the headers %j is cached for %i s', async (headers, seconds) => {
  const { client, sent, pass } = inVirtualTime(() => Response.json(LIST, { headers }))
  await client.listPlaybooks()
  if (seconds > 0) {
    await pass(seconds * 1_000 - 1)
    await client.listPlaybooks()
    expect(sent).toHaveLength(1)
    await pass(1)
  }
  await client.listPlaybooks()
  expect(sent).toHaveLength(2)
})
