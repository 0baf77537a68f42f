import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { lintLiterals } from '../../scripts/lint/literals.js'

it('the lint finds plans, statuses and versions of the path that are typed in code', () => {
  const root = mkdtempSync(join(tmpdir(), 'literals-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  for (const folder of ['src', 'site', 'scripts']) mkdirSync(join(root, folder))
  writeFileSync(
    join(root, 'src/a.ts'),
    "const plan = 'pro'\nconst url = 'https://a.example/v1'\nconst free = 'hobby'\n",
  )
  writeFileSync(join(root, 'site/b.tsx'), "const shown = status === 'waiting_approval'\nconst outcome = 'running'\n")
  const found = lintLiterals(root).map(({ file, line, message }) => `${file}:${line} ${message.split('.')[0]}`)
  expect(found.sort()).toEqual([
    'site/b.tsx:1 This is a status',
    'src/a.ts:1 This is the id of a plan',
    'src/a.ts:2 This is the version of the path',
  ])
})
