import { readFile } from 'node:fs/promises'
import { isDeepStrictEqual } from 'node:util'
import { parse } from 'yaml'
import type { Json } from '../contract/index.js'
import { run } from '../process.js'

export type Impact = 'patch' | 'minor' | 'major'

/** One difference between two contracts. */
export interface Change {
  impact: Impact
  /** `GET /runs/{id}`, or what it belongs to when it is no operation's. */
  subject: string
  /** A phrase without a full stop. */
  text: string
}

const IMPACTS: Impact[] = ['patch', 'minor', 'major']
const METHODS = /^(get|put|post|delete|options|head|patch|trace)$/
/** Properties whose change says nothing to a program. */
const PROSE = new Set(['description', 'summary', 'title', 'example', 'examples', 'value', 'x-extensible-enum'])

/** The greater of some impacts; undefined when there are none. */
export const greatest = (impacts: Impact[]): Impact | undefined =>
  IMPACTS.toReversed().find((impact) => impacts.includes(impact))

/** What has changed on the wire between two documents, as `redocly diff` rates it, and in the behaviour fields, which it does not rate. */
export async function wireChanges(root: string, before: string, after: string): Promise<Change[]> {
  const report = JSON.parse(
    await run('redocly', ['diff', before, after, '--format', 'json', '--fail-on', 'none'], { cwd: root }),
  )
  return [
    ...report.changes.flatMap((change: Json) => changeOf(change)),
    ...behaviourChanges(parse(await readFile(before, 'utf8')), parse(await readFile(after, 'utf8'))),
  ]
}

function changeOf({ path, kind, impact, property, base, revision }: Json): Change[] {
  if (impact === 'patch' && (PROSE.has(property) || kind === 'unchanged')) return []
  const parts = String(path)
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
  if (parts[0] === 'components' && impact !== 'major') return []
  if (parts[0] === 'paths' && parts.length === 2) {
    const methods = Object.keys(revision?.value ?? base?.value ?? {}).filter((key) => METHODS.test(key))
    return methods.map((method) => ({
      impact,
      subject: `${method.toUpperCase()} ${parts[1]}`,
      text: `${kind} the operation`,
    }))
  }
  const isOperation = parts[0] === 'paths' && parts.length > 2
  const subject = isOperation ? `${parts[2]?.toUpperCase()} ${parts[1]}` : parts.slice(0, 2).join(' ') || 'the document'
  if (subject.startsWith('x-')) return []
  const place = parts
    .slice(isOperation ? 3 : 2)
    .filter((part) => part !== 'properties' && part !== 'content' && part !== 'schema')
    .join(' ')
  const what = [place, property].filter(Boolean).join(' · ')
  const values = kind === 'modified' ? ` from ${brief(base?.value)} to ${brief(revision?.value)}` : ''
  const behaviour = typeof property === 'string' && property.startsWith('x-') && property !== 'x-basis'
  return [
    {
      impact: behaviour && impact === 'patch' ? 'minor' : impact,
      subject,
      text: `${kind} ${what || 'the operation'}${values}`,
    },
  ]
}

const brief = (value: unknown): string => {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length > 60 ? `${text.slice(0, 57)}…` : text
}

function behaviourChanges(before: Json, after: Json): Change[] {
  const plans = new Set([...Object.keys(before['x-plans'] ?? {}), ...Object.keys(after['x-plans'] ?? {})])
  return [...plans]
    .filter((plan) => !isDeepStrictEqual(before['x-plans']?.[plan], after['x-plans']?.[plan]))
    .map((plan) => ({ impact: 'minor', subject: 'plans', text: `the plan ${plan} is another one` }))
}
