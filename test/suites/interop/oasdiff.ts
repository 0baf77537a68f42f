// Compares our rating of what has changed in the document since the last release with that of oasdiff. A difference fails
// unless `oasdiff.yaml` lists it with the reason, and so does one that is listed and gone.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { RELEASED } from '../../../scripts/release/document.js'
import { wireChanges } from '../../../scripts/release/wire.js'

interface Difference {
  /** Which of both says that it breaks. */
  breaks: 'ours' | 'oasdiff'
  /** The parameter or property. */
  name: string
}

const root = process.env.ROOT ?? process.cwd()
const [before, after] = [join(root, RELEASED), join(root, 'generated/openapi.yaml')]
const ours = new Set((await wireChanges(root, before, after)).filter(({ impact }) => impact === 'major').map(nameOf))
const printed = execFileSync('oasdiff', ['breaking', before, after, '--format', 'json'], { encoding: 'utf8' })
const theirs = new Set((JSON.parse(printed || '[]') as { text: string }[]).map(nameOf))
const found: Difference[] = [
  ...[...ours].filter((name) => !theirs.has(name)).map((name) => ({ breaks: 'ours' as const, name })),
  ...[...theirs].filter((name) => !ours.has(name)).map((name) => ({ breaks: 'oasdiff' as const, name })),
]
const listed: (Difference & { reason: string })[] = parse(
  readFileSync(join(import.meta.dirname, 'oasdiff.yaml'), 'utf8'),
)
assert.deepEqual(
  found,
  listed.map(({ reason, ...difference }) => difference),
)

/** What a change is about: the last name in our phrase, or the first in theirs, in small letters only. */
function nameOf({ text, subject }: { text: string; subject?: string }): string {
  const [, ours = ''] = /^\w+ (.*?)(?: · | from |: |$)/.exec(text) ?? []
  const [, theirs = ''] =
    /`([^`]+)` (?:response's property|response property|request parameter|request property)/.exec(text) ?? []
  const [, after] = /(?:request parameter|response property) `([^`]+)`/.exec(text) ?? []
  const name = subject ? (ours.split(' ').at(-1) ?? '') : (after ?? (theirs || text))
  return (name.split('/').at(-1) ?? name).toLowerCase().replaceAll(/[-_]/g, '')
}
