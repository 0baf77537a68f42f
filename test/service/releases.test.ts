import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, it, onTestFinished, vi } from 'vitest'
import { parse, stringify } from 'yaml'
import { run, workspace } from '../../generated/examples.js'
import { releases } from '../../generated/operations.js'
import { emitReleases } from '../../scripts/emit/releases.js'
import { frozenPath } from '../../scripts/release/frozen.js'
import { openStage } from '../../scripts/stage.js'
import { createService, type Release, type ServiceOptions } from '../../src/service/index.js'
import { copyProject, repository } from '../support/project.js'

interface Context {
  id: string
}

const [date] = releases
type DefineRelease = (operations: Release<Context>['operations']) => Release<Context>
const defineOf = async (file: string): Promise<DefineRelease> =>
  (await import(/* @vite-ignore */ pathToFileURL(file).href)).defineRelease
const defineRelease = await defineOf(join(repository, `packages/releases/dist/${date}/service.js`))

const options: ServiceOptions<Context> = {
  authenticate: (key) => ({ context: { id: key } }),
  operations: {
    getCurrentWorkspace: () => ({ status: 200, body: { ...workspace, name: 'today' } }),
    getRun: () => ({ status: 200, body: { ...run, id: 'today' } }),
  },
  otherwise: 501,
}

const send = async (own: Partial<ServiceOptions<Context>>, path: string, version?: string, init: RequestInit = {}) => {
  const headers = new Headers({ authorization: 'Bearer key', ...(version && { 'service-version': version }) })
  if (init.body) headers.set('content-type', 'application/json')
  const response = await createService({ ...options, ...own }).fetch(
    new Request(`http://h${path}`, { ...init, headers }),
  )
  return { status: response.status, body: await response.json() }
}

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

it('a release that differs from today is validated by its own document', async () => {
  const project = copyProject()
  onTestFinished(() => project.remove())
  const frozen = frozenPath(project.root, date, 'yaml')
  const document = parse(await readFile(frozen, 'utf8'))
  document.paths['/connectors'] = document.paths['/providers']
  delete document.paths['/providers']
  document.components.schemas.Provider.properties.id = { type: 'integer' }
  await writeFile(frozen, stringify(document))
  using stage = openStage(project.root)
  await emitReleases(project.root, stage)
  const define = await defineOf(join(stage.folder, `packages/releases/dist/${date}/service.js`))
  const page = { meta: { total: 1, page: 1, per_page: 20 } }
  const list = (id: unknown) => ({
    releases: [define({ listProviders: () => ({ status: 200, body: { data: [{ id }], ...page } }) })],
  })
  const quiet = { onError: () => {} }
  expect(await send(list(7), '/connectors', date)).toEqual({ status: 200, body: { data: [{ id: 7 }], ...page } })
  expect((await send({ ...list('seven'), ...quiet }, '/connectors', date)).status).toBe(500)
  expect((await send(list(7), '/connectors')).status).toBe(404)
  expect((await send(list(7), '/providers', date)).status).toBe(501)
})
