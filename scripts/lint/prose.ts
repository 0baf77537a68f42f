import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BasisEntry, Contract } from '../contract/index.js'
import type { Diagnostic } from '../support/diagnostics.js'
import { filesBelow } from '../support/files.js'

/** Files for readers, without the changelog, which describes earlier versions. */
const READ = ['README.md', 'AGENTS.md', 'CONTRIBUTING.md', 'docs', 'examples', 'openapi', 'scripts', 'site', 'src']
const TEXT = /\.(md|yaml|ts|tsx|js|py|go)$/
/** The register itself, the document as last released, and pages that are generated as a whole. */
const OTHERS = /^docs\/guides\/(README|operations|register)\.md$|^openapi\/(basis|released)\.yaml$/

/** Files that users copy from: their addresses and plans are those of the contract. */
const COPIED = /^(README\.md|AGENTS\.md|examples\/|docs\/guides\/)/

/** Names in prose, workflows and comments that the contract does not have, each with its location. */
export const lintProse = (root: string, contract: Contract): Diagnostic[] => [
  ...lintIds(root, contract),
  ...lintCopied(root, contract),
  ...lintDescriptions(root),
  ...lintReliable(root),
]

/** A row of the table in "What may I rely on?", and how its second cell begins, which becomes a badge. */
export const RELIABLE_ROW = /^(\| (?!Question|---).+? \| )(.+?)( \| [^|]+ \|)$/gm
export const RELIABLE_CELL = /^(yes|no|assumed(?:: (yes|no))?|not known)\b[.:]? ?/i
const RELIABLE = 'docs/guides/what-may-i-rely-on.md'

function lintReliable(root: string): Diagnostic[] {
  if (!existsSync(join(root, RELIABLE))) return []
  const text = readFileSync(join(root, RELIABLE), 'utf8')
  return [...text.matchAll(RELIABLE_ROW)]
    .filter(([, , cell = '']) => !RELIABLE_CELL.test(cell))
    .map(({ 1: question = '', 2: cell, index }) => {
      const line = text.slice(0, index).split('\n').length
      const message = `"${cell}" must begin with yes, no, assumed or not known, which becomes the badge of the row.`
      return { file: RELIABLE, line, column: question.length + 1, rule: 'badge', message }
    })
}

/** Ids of the register in descriptions, which tools copy into messages and prompts; short marks of assumptions are allowed. */
function lintDescriptions(root: string): Diagnostic[] {
  const message =
    'A description cites an entry of the register, and tools copy descriptions into messages. Say it in words; only an assumption may be marked, as in "(assumed, A09)".'
  return filesIn(root, 'openapi')
    .filter((file) => !file.includes('/workflows/'))
    .flatMap((file) =>
      readFileSync(join(root, file), 'utf8')
        .split('\n')
        .flatMap((text, index) => {
          if (/^\s*#|x-(transitions-)?basis:/.test(text)) return []
          const rest = text.replaceAll(/ \((assumed, )?(A\d\d(, )?)+\)/g, (mark) => ' '.repeat(mark.length))
          const column = rest.search(/\b[SODA]\d\d\b/)
          return column < 0 ? [] : [{ file, line: index + 1, column: column + 1, rule: 'prose', message }]
        }),
    )
}

/** Files whose x-basis the check of the register reports. */
const OF_NODES = /^openapi\/(?!workflows\/)/

/** Ids of the register that are unknown or retired. */
function lintIds(root: string, { register, retired }: Contract): Diagnostic[] {
  const inUse = new Set(register.map(({ id }) => id))
  return READ.flatMap((name) => filesIn(root, name)).flatMap((file) =>
    idsIn(file, readFileSync(join(root, file), 'utf8'))
      .filter(({ id, isBasis }) => !inUse.has(id) && !(isBasis && OF_NODES.test(file)))
      .map(({ id, line, column }) => {
        const message = messageOf(id, register, retired)
        return { file, line, column, rule: 'prose', message }
      }),
  )
}

/** Versions of the path and ids of plans that the contract does not have: of each the first location in a file. */
function lintCopied(root: string, { document }: Contract): Diagnostic[] {
  const version = new URL(document.servers[0].url).pathname
  const plans = Object.keys(document['x-plans'] ?? {})
  return READ.flatMap((name) => filesIn(root, name))
    .filter((file) => COPIED.test(file))
    .flatMap((file) => {
      const text = readFileSync(join(root, file), 'utf8')
      const versions = [...text.matchAll(OF_PATH)].filter(([found]) => found !== version)
      const unknown = [...text.matchAll(OF_PLAN)].filter(([id]) => !plans.includes(id))
      return [
        ...atFirst(file, text, versions, `is not the version of the path. Write ${version}.`),
        ...atFirst(file, text, unknown, `is not a plan of the contract. Name one of ${plans.join(', ')}.`),
      ]
    })
}

function atFirst(file: string, text: string, found: RegExpExecArray[], message: string): Diagnostic[] {
  const [first] = found
  if (!first) return []
  const before = text.slice(0, first.index).split('\n')
  const times = found.length > 1 ? ` (${found.length} times in this file)` : ''
  const column = (before.at(-1) ?? '').length + 1
  return [{ file, line: before.length, column, rule: 'prose', message: `"${first[0]}"${times} ${message}` }]
}

/** The path of a Go module may have a version too. */
const OF_PATH = /(?<!github\.com\S*)\/v\d+\b/g
const OF_PLAN = /(?<=\bplan: ['"]|--plan |createRateLimiter\(['"])(\w+)\b/g

function filesIn(root: string, name: string): string[] {
  if (TEXT.test(name)) return existsSync(join(root, name)) ? [name] : []
  const files = existsSync(join(root, name)) ? filesBelow(root, name) : []
  return files.filter((file) => TEXT.test(file) && !OTHERS.test(file))
}

/** The ids in a file. Code of a page of Markdown shows changes, whose entries are only examples; a guide's code is real. */
function idsIn(file: string, text: string): { id: string; isBasis: boolean; line: number; column: number }[] {
  const isPage = file.endsWith('.md') && !file.includes('guides/')
  const prose = isPage
    ? text.replaceAll(/^```[\s\S]*?^```$|`[^`\n]+`/gm, (code) => code.replaceAll(/[^\n]/g, ' '))
    : text
  return prose.split('\n').flatMap((each, index) =>
    [...each.matchAll(/(?<![\w#])[SODA]\d\d(?!\w)/g)].map((match) => ({
      id: match[0],
      isBasis: /x-(transitions-)?basis:/.test(each),
      line: index + 1,
      column: match.index + 1,
    })),
  )
}

function messageOf(id: string, register: BasisEntry[], retired: BasisEntry[]): string {
  const successors = retired.find((entry) => entry.id === id)?.replacedBy
  if (!successors) return `"${id}" is not in openapi/basis.yaml. Name an id that is, or add the entry.`
  const named = successors.map((each) => `${each} (${register.find((entry) => entry.id === each)?.kind ?? 'retired'})`)
  return `"${id}" is retired: ${named.join(', ')} says it now. Name that, and correct what the sentence says.`
}
