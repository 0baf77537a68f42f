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

it.each(OPERATION_EDITS.map((edit, index) => ({ ...edit, index })))(TITLE, ({ impact, index }) =>
  expectImpact(
    together.filter(({ subject }) => subject === `POST /case-${index}/{id}`),
    impact,
  ),
)

it.each(DOCUMENT_EDITS)(TITLE, async ({ edit, impact }) => {
  const document = baseDocument()
  edit(document)
  expectImpact(await changes(document), impact)
})
