import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { run } from '../../generated/examples.js'
import { releases } from '../../generated/operations.js'
import { createService } from '../../src/service/index.js'
import { repository } from '../support/project.js'
import { defineOf, options, send } from './released.js'

const [date] = releases
const defineRelease = await defineOf(join(repository, `packages/releases/dist/${date}/service.js`))

it('a request that names a release goes to its handler, and any other to that of today', async () => {
  const getRun = vi.fn(() => ({ status: 200, body: { ...run, id: 'frozen' } }))
  const own = { releases: [defineRelease({ getRun })] }
  expect((await send(own, '/runs/a', date)).body.id).toBe('frozen')
  expect(getRun).toHaveBeenCalledWith(
    expect.objectContaining({
      operation: 'getRun',
      path: { id: 'a' },
      context: { id: 'key' },
      requestId: expect.any(String),
    }),
  )
  expect((await send(own, '/runs/a')).body.id).toBe('today')
  expect((await send(own, '/runs/a', '2020-02-29')).body.id).toBe('today')
  expect((await send(own, '/workspaces/me', date)).body.name).toBe('today')
  expect((await send(own, '/runs/a', 'latest')).status).toBe(400)
})

it('requests of a release share the limit of the others', async () => {
  const service = createService({
    ...options,
    releases: [defineRelease({ getRun: () => ({ status: 200, body: run }) })],
    limit: () => ({ key: 'ws', plan: { requestsPerMinute: 1, burst: 1 } }),
  })
  const headers = { authorization: 'Bearer key' }
  const statuses = []
  for (const version of [{}, { 'service-version': `${date}` }])
    statuses.push((await service.fetch(new Request('http://h/runs/a', { headers: { ...headers, ...version } }))).status)
  expect(statuses).toEqual([200, 429])
})
