// Compares the rating of each pair of releases, and of the last release with today's document, with that of oasdiff. A
// difference fails unless `oasdiff.yaml` lists it with the reason, and so does one that is listed and gone.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { frozenPath, releaseDates } from '../../scripts/release/frozen.js'
import { wireChanges } from '../../scripts/release/wire.js'

interface Difference {
  /** The date of the release that was compared with the next. */
  since: string
  /** Which of both says that it breaks. */
  breaks: 'ours' | 'oasdiff'
  /** The parameter or property. */
  name: string
}

const root = process.env.ROOT ?? process.cwd()
const dates = releaseDates(root)
const documents = [...dates.map((date) => frozenPath(root, date, 'yaml')), join(root, 'generated/openapi.yaml')]
const found: Difference[] = []
for (const [index, since] of dates.entries()) {
  const [before = '', after = ''] = documents.slice(index)
  const ours = new Set((await wireChanges(root, before, after)).filter(({ impact }) => impact === 'major').map(nameOf))
  const printed = execFileSync('oasdiff', ['breaking', before, after, '--format', 'json'], { encoding: 'utf8' })
  const theirs = new Set((JSON.parse(printed || '[]') as { text: string }[]).map(nameOf))
  for (const name of ours) if (!theirs.has(name)) found.push({ since, breaks: 'ours', name })
  for (const name of theirs) if (!ours.has(name)) found.push({ since, breaks: 'oasdiff', name })
}
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
  const [, theirs = ''] = /`([^`]+)` (?:response's property|request parameter|request property)/.exec(text) ?? []
  const [, after] = /request parameter `([^`]+)`/.exec(text) ?? []
  const name = subject ? (ours.split(' ').at(-1) ?? '') : (after ?? (theirs || text))
  return name.toLowerCase().replaceAll(/[-_]/g, '')
}
