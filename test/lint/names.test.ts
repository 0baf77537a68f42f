import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { lintNames } from '../../scripts/lint/names.js'

const messagesOf = (files: Record<string, string>): string[] => {
  const root = mkdtempSync(join(tmpdir(), 'names-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  for (const folder of ['src', 'scripts']) mkdirSync(join(root, folder))
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, file)), { recursive: true })
    writeFileSync(join(root, file), text)
  }
  return lintNames(root).map(({ file, line, message }) => `${file}:${line} ${message}`)
}

it('a name that a wing has twice is reported, and an exported one that two wings have', () => {
  expect(
    messagesOf({
      'src/client/a.ts': 'const once = 1\nfunction twice() {}\nexport interface Public {}',
      'src/client/deep/b.ts': '\nconst twice = 2',
      'src/tools/redis/c.ts': 'const twice = 3\nexport class Public {}',
      'src/tools/sandbox/d.ts': 'type Public = 1',
      'scripts/emit/e.ts': 'const twice = 4\nconst both = 1',
      'scripts/emit/docs/f.ts': 'const both = 2',
      'scripts/lint/g.ts': 'const both = 3\nexport class Public {}',
    }),
  ).toEqual([
    'src/client/deep/b.ts:2 "twice" is also declared in src/client/a.ts:2. Give one of them another name.',
    'src/tools/redis/c.ts:2 "Public" is also declared in src/client/a.ts:3. Give one of them another name.',
    'scripts/emit/e.ts:2 "both" is also declared in scripts/emit/docs/f.ts:1. Give one of them another name.',
  ])
})

it('an overload is no second declaration, and a parameter of a function no top-level name', () => {
  expect(
    messagesOf({
      'src/client/a.ts':
        'export function one(a: string): void\nexport function one(a: number): void\nexport function one() {}',
      'src/client/b.ts': 'export function other(one: string) {\n  const a = one\n  return a\n}',
    }),
  ).toEqual([])
})

it('an entry that re-exports from src/internal/ is reported', () => {
  const text = "export * from '../../internal/a.js'\nexport type { B } from '../../shared/b.js'"
  expect(messagesOf({ 'src/tools/redis/index.ts': text, 'src/tools/redis/other.ts': text })).toEqual([
    'src/tools/redis/index.ts:1 An entry re-exports from src/internal/. Move what it exports to src/shared/.',
  ])
})
