import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BasisEntry, Contract } from '../contract/index.js'
import type { Diagnostic } from '../diagnostics.js'

/** What people read, without the changelog, which tells of the past. */
const READ = ['README.md', 'AGENTS.md', 'CONTRIBUTING.md', 'docs', 'examples', 'openapi', 'scripts', 'site', 'src']
const TEXT = /\.(md|yaml|ts|tsx|js|py|go)$/
/** The register itself, the document as last released, and guides that are made of those of openapi/. */
const OTHERS = /node_modules|^docs\/guides\/|^openapi\/(basis|released)\.yaml$/

/** The ids of the register that prose, workflows and comments name and that are unknown or retired, each with its location. */
export function lintProse(root: string, { register, retired }: Contract): Diagnostic[] {
  const inUse = new Set(register.map(({ id }) => id))
  return READ.flatMap((name) => filesIn(root, name)).flatMap((file) =>
    idsIn(file, readFileSync(join(root, file), 'utf8'))
      .filter(({ id }) => !inUse.has(id))
      .map(({ id, line, column }) => ({
        ...{ file, line, column, rule: 'prose' },
        message: messageOf(id, register, retired),
      })),
  )
}

function filesIn(root: string, name: string): string[] {
  if (TEXT.test(name)) return existsSync(join(root, name)) ? [name] : []
  const files = existsSync(join(root, name)) ? readdirSync(join(root, name), { recursive: true }) : []
  return files
    .map((file) => `${name}/${file}`.replaceAll('\\', '/'))
    .filter((file) => TEXT.test(file) && !OTHERS.test(file))
}

/** The ids in a file. Code of a page of Markdown shows changes, whose entries are only examples; a guide's code is real. */
function idsIn(file: string, text: string): { id: string; line: number; column: number }[] {
  const isPage = file.endsWith('.md') && !file.includes('guides/')
  const prose = isPage
    ? text.replaceAll(/^```[\s\S]*?^```$|`[^`\n]+`/gm, (code) => code.replaceAll(/[^\n]/g, ' '))
    : text
  return prose.split('\n').flatMap((each, index) =>
    [...each.matchAll(/(?<![\w#])[SODA]\d\d(?!\w)/g)].map((match) => ({
      id: match[0],
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
