import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path/posix'
import { type Document, isAlias, isScalar, LineCounter, type Node, parseDocument, visit } from 'yaml'
import { pointerTokens } from '../../src/internal/json-pointer.js'
import { type Diagnostic, throwIfProblems } from '../diagnostics.js'

interface Parsed {
  document: Document
  lines: LineCounter
}

export type Path = readonly (string | number)[]

type Location = Pick<Required<Diagnostic>, 'line' | 'column'>

/** The text of each file of the contract, by its path relative to the project's folder. */
export type Source = Map<string, string>

/** Where the contract starts, relative to the project's folder. */
export const ENTRY = 'openapi/openapi.yaml'
const NOT_REFERENCED = /^openapi\/(releases|workflows|guides)\//

/**
 * Reads every YAML file of the contract.
 *
 * @throws BuildError with what cannot be read, parsed or resolved
 */
export function readSource(root: string): Source {
  const diagnostics: Diagnostic[] = []
  const source: Source = new Map()
  const parsed = new Map<string, Parsed>()
  for (const file of yamlFiles(root)) {
    try {
      const text = readFileSync(join(root, file), 'utf8')
      source.set(file, text)
      parsed.set(file, parseText(text))
    } catch (error) {
      const message = `The file cannot be read: ${(error as Error).message}. Check that it is there and readable.`
      diagnostics.push({ file, rule: 'read', message })
    }
  }
  throwIfProblems([...diagnostics, ...[...parsed].flatMap(([file, each]) => syntaxProblems(file, each))])
  throwIfProblems(referenceProblems(parsed))
  return source
}

const yamlFiles = (root: string): string[] =>
  readdirSync(join(root, 'openapi'), { recursive: true })
    .map((file) => `openapi/${file}`.replaceAll('\\', '/'))
    .filter((file) => file.endsWith('.yaml') && !NOT_REFERENCED.test(file))
    .sort()

/** The document of a file, with the locations of its nodes. Parsed again when it is asked for, since locations are rarely needed. */
export function parseText(text: string): Parsed {
  const lines = new LineCounter()
  return { document: parseDocument(text, { lineCounter: lines, prettyErrors: false }), lines }
}

function syntaxProblems(file: string, { document, lines }: Parsed): Diagnostic[] {
  const problems = document.errors.map((error) => ({
    ...{ file, ...at(lines, error.pos[0]), rule: 'yaml' },
    message: `This is not YAML: ${error.message}. Correct it.`,
  }))
  if (document.contents !== null || problems.length > 0) return problems
  const message = 'The file is empty. Write the component, or delete the file and what refers to it.'
  return [{ file, line: 1, column: 1, rule: 'empty', message }]
}

/** References that lead nowhere, and files that no reference leads to. */
function referenceProblems(files: Map<string, Parsed>): Diagnostic[] {
  const diagnostics: Diagnostic[] = []
  const reached = new Set([ENTRY])
  for (const [file, { document, lines }] of files) {
    visit(document, {
      Pair(_, { key, value }) {
        if (!isScalar(key) || key.value !== '$ref' || !isScalar(value)) return
        const [path = '', pointer = ''] = String(value.value).split('#')
        const target = path === '' ? file : join(dirname(file), path)
        if (target !== file) reached.add(target)
        const found = files.get(target)
        if (pointer === '' ? found : found?.document.hasIn(pointerTokens(decodeURIComponent(pointer)))) return
        const [missing, advice] = found
          ? [`"#${pointer}" in ${target}`, 'Correct the pointer.']
          : [target, 'Correct the path or add the file.']
        const message = `"${value.value}" leads to ${missing}, which is not there. ${advice}`
        diagnostics.push({ file, ...at(lines, value.range?.[0] ?? 0), rule: 'reference', message })
      },
    })
  }
  const message = 'No reference leads to this file, so it is not part of the contract. Refer to it or delete it.'
  const unused = [...files.keys()].filter((file) => !reached.has(file))
  return [...diagnostics, ...unused.map((file) => ({ file, rule: 'unused', message }))]
}

/** The location of a path inside a file, or of the nearest node above it that is there. Lines and columns count from 1. */
export function locationOf({ document, lines }: Parsed, path: Path): Location {
  for (let length = path.length; length >= 0; length--) {
    const node = document.getIn(path.slice(0, length), true) as Node | undefined
    if (node && !isAlias(node) && node.range) return at(lines, node.range[0])
  }
  return { line: 1, column: 1 }
}

function at(lines: LineCounter, offset: number): Location {
  const { line, col } = lines.linePos(offset)
  return { line, column: col }
}
