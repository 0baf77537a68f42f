import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Json } from '../../../scripts/contract/index.js'
import { type Change, greatest } from '../../../scripts/release/change.js'
import { wireChanges } from '../../../scripts/release/wire.js'
import { repository } from '../../support/project.js'
import { baseDocument, DOCUMENT_EDITS, editedDocument, OPERATION_EDITS } from './edits.js'

let folder: string
/** All edits of operations at once: each has an operation of its own. */
let together: Change[]
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'directions-'))
  together = await changes(editedDocument())
})
afterAll(() => rmSync(folder, { recursive: true }))

async function changes(document: Json): Promise<Change[]> {
  const [before, after] = [join(folder, 'before.json'), join(folder, 'after.json')]
  writeFileSync(before, JSON.stringify(baseDocument()))
  writeFileSync(after, JSON.stringify(document))
  return wireChanges(repository, before, after)
}

const TITLE = 'the release command rates as $impact an edit that $name'
const expectImpact = (found: Change[], impact: string) =>
  expect(greatest(found.map((change) => change.impact)) ?? 'none', JSON.stringify(found)).toBe(impact)

const changesOf = (index: number) => together.filter(({ subject }) => subject === `POST /case-${index}/{id}`)

it.each(OPERATION_EDITS.map((edit, index) => ({ ...edit, index })))(TITLE, ({ impact, index }) =>
  expectImpact(changesOf(index), impact),
)

it.each([
  ['counts an operation against another quota', /modified x-quota .*requests count against another limit/],
  ['changes the default of a parameter', /default from `1` to `2`: a request that leaves it out/],
  ['requires an optional property of a response', /providers must be changed, whose responses lack name$/],
])('the release command says what it means that an edit %s', (name, meaning) => {
  const found = changesOf(OPERATION_EDITS.findIndex((edit) => edit.name === name))
  expect(found.map(({ text }) => text)).toContainEqual(expect.stringMatching(meaning))
})

it.each(DOCUMENT_EDITS)(TITLE, async ({ edit, impact }) => {
  const document = baseDocument()
  edit(document)
  expectImpact(await changes(document), impact)
})

it('the release command lists a change of a part that operations share once, with all of them', async () => {
  const shared = (size: number) => {
    const document = baseDocument()
    const paths = Object.keys(document.paths).slice(0, 3)
    document.components.schemas = { Problem: { type: 'object', properties: {} } }
    for (let count = 0; count < size; count++)
      document.components.schemas.Problem.properties[`p${count}`] = { type: 'string' }
    const content = { 'application/json': { schema: { $ref: '#/components/schemas/Problem' } } }
    document.components.responses = { Problem: { description: 'No.', content } }
    document.paths = Object.fromEntries(paths.map((path) => [path, document.paths[path]]))
    for (const path of paths)
      for (const operation of Object.values<Json>(document.paths[path]))
        operation.responses[409] = { $ref: '#/components/responses/Problem' }
    return document
  }
  const [before, after] = [join(folder, 'one.json'), join(folder, 'two.json')]
  writeFileSync(before, JSON.stringify(shared(1)))
  writeFileSync(after, JSON.stringify(shared(2)))
  const subjects = async () => (await wireChanges(repository, before, after)).map(({ subject }) => subject)
  expect(await subjects()).toEqual(['GET /fixed, POST /case-0/{id}, POST /case-1/{id}'])

  const document = shared(2)
  document.paths['/new'] = structuredClone(document.paths['/fixed'])
  writeFileSync(after, JSON.stringify(document))
  expect((await subjects()).sort()).toEqual(['GET /fixed, POST /case-0/{id}, POST /case-1/{id}', 'GET /new'])
})

it('the release command names a security scheme that is added, and says what the removal of a plan breaks', async () => {
  const document = baseDocument()
  document.components.securitySchemes.oauth = { type: 'oauth2', flows: {} }
  document.security.push({ oauth: [] })
  document['x-plans'] = {}
  const found = await changes(document)
  expect(found).toContainEqual(
    expect.objectContaining({ subject: 'the document', text: 'added the security scheme oauth' }),
  )
  expect(found).toContainEqual(
    expect.objectContaining({
      impact: 'major',
      text: "removed x-plans · pro: code that names it, such as `plan: 'pro'`, no longer compiles",
    }),
  )
})
