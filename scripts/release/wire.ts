import { readFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { parse } from 'yaml'
import { pointerTokens } from '../../src/runtime/json-pointer.js'
import type { Json } from '../contract/index.js'
import { run } from '../support/process.js'
import { behaviourChanges } from './behaviour.js'
import { type Change, type Impact, sideOf, subjectOf } from './change.js'
import { sharedPart } from './shared.js'

const METHODS = /^(get|put|post|delete|options|head|patch|trace)$/
/** Properties whose change says nothing to a program. */
const PROSE = /^(description|summary|title|tags|version|example|examples|value|x-extensible-enum)$/
/** Fields of our own that say nothing to a program; `x-assumed-patterns` was one up to 3.0. */
const OWN_PROSE = /\/x-(pattern-means|assumed-patterns|faker|extensible-enum)(\/|$)/

/** Explains changes whose rating alone does not. */
const MEANING: { at?: RegExp; property?: RegExp; kind?: string; text: string }[] = [
  { property: /^x-quota$/, text: 'requests count against another limit' },
  {
    at: /\/(parameters|requestBody)\//,
    property: /^default$/,
    text: 'a request that leaves it out gets something else',
  },
  {
    at: /\/requestBody\/.*/,
    property: /^(type|enum)$/,
    text: 'senders need not be changed when it allows more, and handlers must accept it',
  },
  {
    at: /^#\/paths\/[^/]+(\/[a-z]+)?$/,
    property: /^$/,
    kind: 'added',
    text: 'a provider without a handler responds with 501',
  },
]

/**
 * Patches of `redocly diff` that break users, by location. Any other patch below `paths` is minor: a request may say
 * more, or a response says more.
 */
const BREAKS: { at: RegExp; property?: RegExp; when?: (before: Json, after: Json) => boolean }[] = [
  { at: /^#\/paths\//, property: /^x-quota$/ },
  { at: /\/(parameters|requestBody)\//, property: /^default$/, when: (before) => before !== undefined },
  { at: /\/requestBody\/.*\/properties\/[^/]+$/, when: (before, after) => after === undefined && before !== undefined },
  { at: /\/responses\/[^/]+\/headers\/[^/]+$/, property: /^required$/, when: (before) => before === true },
  { at: /\/responses\/[^/]+$/, property: /^x-(retryable|no-effect)$/, when: (before) => before === true },
  { at: /^#\/components\/securitySchemes\//, property: /^(type|scheme|in|name|flows|openIdConnectUrl)$/ },
  { at: /^#\/(paths\/.*)?$/, property: /^security$/ },
  { at: /^#\/(paths\/.*\/)?security\b/ },
]

/** The names that a list of required properties gains. */
const added = (before: Json, after: Json): string[] =>
  Array.isArray(after) ? after.filter((name) => !(before ?? []).includes(name)) : []

/** The changes between two documents, with those of behaviour fields, which `redocly diff` does not compare. */
export async function wireChanges(root: string, before: string, after: string): Promise<Change[]> {
  const args = ['diff', resolve(before), resolve(after), '--format', 'json', '--fail-on', 'none']
  // Away from redocly.yaml: Redocly 2.77 rates every change as patch or minor as soon as it finds a configuration.
  const redocly = join(root, 'node_modules/.bin/redocly')
  const report = JSON.parse(await run(redocly, args, { cwd: dirname(resolve(after)) }))
  const old = parse(await readFile(before, 'utf8'))
  const current = parse(await readFile(after, 'utf8'))
  const isSameService = isDeepStrictEqual(serverPaths(old), serverPaths(current))
  const seen = new Set<string>()
  return [
    ...report.changes
      .filter(({ path }: Json) => !(isSameService && path.startsWith('#/servers/')))
      .flatMap((change: Json) => {
        const document = change.kind === 'removed' ? old : current
        const shared = sharedPart(document, pointerTokens(change.path.slice(1)), old)
        const key = shared && `${shared.pointer} ${change.kind} ${change.property}`
        if (key === undefined) return changesOf(change, document)
        // Redocly lists a part that operations share at one of them, or at several.
        if (seen.has(key)) return []
        seen.add(key)
        return changesOf(change, document).map((each) => ({ ...each, subject: shared?.operations ?? each.subject }))
      }),
    ...behaviourChanges(old, current),
  ]
}

/** The paths of the servers; their host is a placeholder, which every user replaces. */
const serverPaths = ({ servers = [] }: Json): string[] =>
  servers.map(({ url }: Json) => url.replace(/^https?:\/\/[^/]+/, ''))

/** A pattern with its digits written in one way; `\d` is `[0-9]` in JSON Schema (ECMA-262). */
const withPlainDigits = (pattern: unknown) => String(pattern).replaceAll('\\d', '[0-9]')

/** A difference found by Redocly as changes; none for prose, or if it is listed elsewhere. */
function changesOf(found: Json, document: Json): Change[] {
  const { path, kind, property = '', base, revision } = found
  const [before, after] = [base?.value, revision?.value]
  const parts = pointerTokens(path.slice(1))
  const side = sideOf(path)
  const lacking = side === 'response' && property === 'required' ? added(before, after) : []
  const impact = lacking.length > 0 ? 'major' : impactOf(found)
  if (isProse(found) || isListedElsewhere(parts, impact)) return []
  const change = (subject: string, text: string, node = before): Change => {
    const isUnannounced = kind === 'removed' && !node?.deprecated
    return { impact, subject, text: `${kind} ${text}`, side, ...(isUnannounced && { undeprecated: true }) }
  }
  if (parts.at(-2) === 'security') {
    const schemes = Object.keys(after ?? before ?? {}).join(' and ') || 'none'
    return [change(parts[0] === 'paths' ? subjectOf(parts) : 'the document', `the security scheme ${schemes}`)]
  }
  const meaning =
    lacking.length > 0
      ? `: providers must be changed, whose responses lack ${lacking.join(', ')}`
      : meaningOf(path, property, kind)
  if (parts[0] === 'paths' && parts.length === 2)
    return Object.entries<Json>(after ?? before ?? {})
      .filter(([key]) => METHODS.test(key))
      .map(([method, operation]) => change(subjectOf([...parts, method]), `the operation${meaning}`, operation))
  const values = kind === 'modified' ? ` from ${brief(before)} to ${brief(after)}` : ''
  return [change(subjectOf(parts), `${locationOf(parts, property, document)}${values}${meaning}`)]
}

/** Whether a difference says nothing to a program. */
function isProse({ path, kind, impact, property = '', base, revision }: Json): boolean {
  if (impact === 'patch' && (PROSE.test(property) || kind === 'unchanged')) return true
  if (OWN_PROSE.test(`${path}/${property}`)) return true
  return property === 'pattern' && withPlainDigits(base?.value) === withPlainDigits(revision?.value)
}

/** A change in a component is also listed for each operation that refers to it, behaviour fields separately. */
const isListedElsewhere = ([first = '']: string[], impact: Impact): boolean =>
  (first === 'components' && impact !== 'major') || first.startsWith('x-')

const meaningOf = (path: string, property: string, kind: string): string => {
  const found = MEANING.find(
    (each) => (each.at?.test(path) ?? true) && (each.property?.test(property) ?? true) && (each.kind ?? kind) === kind,
  )
  return found ? `: ${found.text}` : ''
}

/** The changed location within its subject, in words. */
function locationOf(parts: string[], property: string, document: Json): string {
  const location = withNames(parts, document)
    .slice(subjectOf(parts).includes('/') ? 3 : 2)
    .filter((part) => !/^(properties|content|schema)$/.test(part))
  return [location.join(' '), property].filter(Boolean).join(' · ') || 'the operation'
}

/** The tokens of a pointer with the names of parameters instead of their numbers. */
const withNames = (parts: string[], document: Json): string[] =>
  parts.map((part, index) => {
    if (parts[index - 1] !== 'parameters' || !/^\d+$/.test(part)) return part
    const parameter = parts.slice(0, index + 1).reduce((node, key) => node?.[key], document)
    return parameter?.name ?? parameter?.$ref?.split('/').at(-1) ?? part
  })

/** The impact that `redocly diff` rates, or a greater one where it rates a patch. */
function impactOf({ path, impact, property = '', base, revision }: Json): Impact {
  if (impact !== 'patch') return impact
  const breaks = BREAKS.some(
    ({ at, property: named, when }) =>
      at.test(path) && (named?.test(property) ?? true) && (when?.(base?.value, revision?.value) ?? true),
  )
  if (breaks) return 'major'
  return path.startsWith('#/paths/') && property !== 'x-basis' ? 'minor' : 'patch'
}

/** A value as code, whose brackets are no link in Markdown. */
const brief = (value: unknown): string => {
  const text = JSON.stringify(value)
  if (text === undefined) return 'nothing'
  return `\`${text.length > 60 ? `${text.slice(0, 57)}…` : text}\``
}
