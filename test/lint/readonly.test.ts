import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { lintReadonly } from '../../scripts/lint/readonly.js'
import { repository } from '../support/project.js'

it('the lint finds a property of a call or a reply that could be written', () => {
  const root = mkdtempSync(join(tmpdir(), 'readonly-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  mkdirSync(join(root, 'src/client/request'), { recursive: true })
  writeFileSync(
    join(root, 'src/client/request/call.ts'),
    'export interface Call {\n  readonly host: string\n  signal?: AbortSignal\n  readonly keys: Keys\n  deadline: number\n}\n',
  )
  expect(lintReadonly(root).map(({ line, message }) => [line, message.split('.')[0]])).toEqual([
    [3, '"signal" can be written'],
    [5, '"deadline" can be written'],
  ])
  expect(lintReadonly(repository)).toEqual([])
})
