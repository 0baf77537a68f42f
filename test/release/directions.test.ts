import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Json } from '../../scripts/contract/index.js'
import { type Change, greatest, wireChanges } from '../../scripts/release/wire.js'
import { repository } from '../support/project.js'
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
  ['changes an assumed pattern, which only verify reports', /x-assumed-patterns.*only `verify` reports it/],
])('the release command says what it means that an edit %s', (name, meaning) => {
  const found = changesOf(OPERATION_EDITS.findIndex((edit) => edit.name === name))
  expect(found.map(({ text }) => text)).toContainEqual(expect.stringMatching(meaning))
})

it.each(DOCUMENT_EDITS)(TITLE, async ({ edit, impact }) => {
  const document = baseDocument()
  edit(document)
  expectImpact(await changes(document), impact)
})
