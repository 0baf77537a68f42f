import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Json } from '../../scripts/contract/index.js'
import { type Change, greatest, wireChanges } from '../../scripts/release/wire.js'
import { repository } from '../support/project.js'
import { baseDocument, EDITS, editedDocument } from './edits.js'

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

describe('the release command', () => {
  it.each(EDITS.map((edit, index) => ({ ...edit, index })))(
    'the release command rates as $impact an edit that $name',
    async (each) => {
      const { edit, whole, impact, index } = each
      let found = together.filter(({ subject }) => subject === `POST /case-${index}/{id}`)
      if (whole) {
        const document = baseDocument()
        edit(document)
        found = await changes(document)
      }
      expect(greatest(found.map((change) => change.impact)) ?? 'none', JSON.stringify(found)).toBe(impact)
    },
  )

  it('every edit that oasdiff rates differently has a documented reason', () => {
    for (const { name, impact, oasdiff, because } of EDITS)
      if (oasdiff !== (impact === 'major')) expect(because, name).toMatch(/\.$/)
  })
})
