import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { parse, stringify } from 'yaml'
import { releases } from '../../generated/operations.js'
import { emitReleases } from '../../scripts/emit/releases.js'
import { frozenPath } from '../../scripts/release/frozen.js'
import { openStage } from '../../scripts/stage.js'
import { defineOf, send } from '../service/released.js'
import { copyProject } from '../support/project.js'

const [date] = releases

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
