import { readdir, readFile } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { type Document, isAlias, isScalar, LineCounter, type Node, parseDocument, visit } from 'yaml'
import type { Diagnostic } from '../diagnostics.js'

interface Parsed {
  document: Document
  lines: LineCounter
}

/** The files of the contract, as they are on disk. */
export interface Source {
  /** The project's folder, absolute. */
  root: string
  /** The text of each file by its path relative to the root. */
  files: Map<string, string>
}

/** Where the contract starts, relative to the project's folder. */
export const ENTRY = 'openapi/openapi.yaml'
const NOT_REFERENCED = /^openapi\/(releases|workflows|guides)\//

/** Reads every YAML file below `openapi/` and reports what cannot be read, parsed or resolved. */
export async function readSource(root: string): Promise<{ source: Source; diagnostics: Diagnostic[] }> {
  const diagnostics: Diagnostic[] = []
  const files = new Map<string, string>()
  const parsed = new Map<string, Parsed>()
  for (const file of await listFiles(root, diagnostics)) {
    try {
      const text = await readFile(join(root, file), 'utf8')
      const { document, lines } = parseText(text)
      for (const error of document.errors) {
        const { line, col } = lines.linePos(error.pos[0])
        diagnostics.push({
          file,
          line,
          column: col,
          rule: 'yaml',
          message: `This is not YAML: ${error.message}. Correct it.`,
        })
      }
      if (document.contents === null && document.errors.length === 0)
        diagnostics.push({
          file,
          line: 1,
          column: 1,
          rule: 'empty',
          message: 'The file is empty. Write the component, or delete the file and what refers to it.',
        })
      files.set(file, text)
      parsed.set(file, { document, lines })
    } catch (error) {
      diagnostics.push({
        file,
        rule: 'read',
        message: `The file cannot be read: ${reasonOf(error)}. Check that it is there and readable.`,
      })
    }
  }
  if (diagnostics.length === 0) diagnostics.push(...referenceProblems(root, parsed))
  return { source: { root, files }, diagnostics }
}

/** The document of a file, with the locations of its nodes. Parsed again when it is asked for, since locations are rarely needed. */
export function parseText(text: string): Parsed {
  const lines = new LineCounter()
  return { document: parseDocument(text, { lineCounter: lines, prettyErrors: false }), lines }
}

async function listFiles(root: string, diagnostics: Diagnostic[]): Promise<string[]> {
  try {
    const entries = await readdir(join(root, 'openapi'), { recursive: true })
    return entries
      .map((entry) => join('openapi', entry).replaceAll('\\', '/'))
      .filter((file) => file.endsWith('.yaml') && !NOT_REFERENCED.test(file))
      .sort()
  } catch (error) {
    diagnostics.push({
      file: 'openapi',
      rule: 'read',
      message: `The folder cannot be read: ${reasonOf(error)}. Run the build in the project's folder.`,
    })
    return []
  }
}

/** References that lead nowhere, and files that no reference leads to. */
function referenceProblems(root: string, files: Map<string, Parsed>): Diagnostic[] {
  const diagnostics: Diagnostic[] = []
  const reached = new Set([ENTRY])
  for (const [file, { document, lines }] of files) {
    visit(document, {
      Pair(_, pair) {
        if (!isScalar(pair.key) || pair.key.value !== '$ref' || !isScalar(pair.value)) return
        const reference = String(pair.value.value)
        const [path = '', pointer = ''] = reference.split('#')
        const target = path === '' ? file : relative(root, resolve(root, dirname(file), path)).replaceAll('\\', '/')
        const location = lines.linePos(pair.value.range?.[0] ?? 0)
        const report = (message: string) =>
          diagnostics.push({ file, line: location.line, column: location.col, rule: 'reference', message })
        const found = files.get(target)
        if (target !== file) reached.add(target)
        if (!found) report(`"${reference}" leads to ${target}, which is not there. Correct the path or add the file.`)
        else if (!has(found.document, pointer))
          report(`"${reference}" leads to "#${pointer}" in ${target}, which is not there. Correct the pointer.`)
      },
    })
  }
  for (const file of files.keys())
    if (!reached.has(file))
      diagnostics.push({
        file,
        rule: 'unused',
        message: 'No reference leads to this file, so it is not part of the contract. Refer to it or delete it.',
      })
  return diagnostics
}

const has = (document: Document, pointer: string): boolean => {
  const path = pointer
    .split('/')
    .slice(1)
    .map((part) => decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~'))
  return path.length === 0 || document.hasIn(path)
}

/** The location of a path inside a file, or of the nearest node above it that is there. Lines and columns count from 1. */
export function locationOf(
  { document, lines }: Parsed,
  path: readonly (string | number)[],
): { line: number; column: number } {
  for (let length = path.length; length >= 0; length--) {
    const node = document.getIn(path.slice(0, length), true) as Node | undefined
    if (node && !isAlias(node) && node.range) {
      const { line, col } = lines.linePos(node.range[0])
      return { line, column: col }
    }
  }
  return { line: 1, column: 1 }
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
