import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import type { Diagnostic } from '../support/diagnostics.js'
import { filesBelow } from '../support/files.js'

/** Names that several modules have for a reason. */
const SHARED: Readonly<Record<string, string>> = {
  Exchange: 'a request and its response, of verify and of the kit',
  Reason: 'public in ./service and, with what the sandbox adds, in ./sandbox',
  RequestEvent: 'public in . and in ./sandbox/node',
  require: 'what Node calls the function of createRequire',
}

interface Declaration {
  file: string
  line: number
  isExported: boolean
}

/**
 * Names that mean two things: a top-level name twice within a wing, an exported one twice in `src`, and an entry that re-exports from
 * `src/internal/`, whose names nobody outside may rely on.
 */
export function lintNames(root: string): Diagnostic[] {
  const files = ['src', 'scripts'].flatMap((folder) => filesBelow(root, folder)).filter((file) => /\.tsx?$/.test(file))
  const declared = new Map<string, Declaration[]>()
  const found: Diagnostic[] = []
  for (const file of files) {
    const source = ts.createSourceFile(file, readFileSync(join(root, file), 'utf8'), ts.ScriptTarget.Latest)
    for (const { name, ...declaration } of topLevelNames(source, file)) {
      const others = declared.get(name) ?? []
      declared.set(name, [...others, declaration])
      // Overloads.
      if (others.some((each) => each.file === file) || name in SHARED) continue
      const twin = others.find(
        (each) =>
          wingOf(each.file) === wingOf(file) ||
          (each.isExported && declaration.isExported && isOfSource(each.file, file)),
      )
      const message = twin && `"${name}" is also declared in ${twin.file}:${twin.line}. Give one of them another name.`
      if (message) found.push({ file, line: declaration.line, column: 1, rule: 'names', message })
    }
    if (isEntry(file)) found.push(...internalExports(source, file))
  }
  return found
}

/** `src/client`, `src/tools/sandbox`, or `scripts/emit`. */
const wingOf = (file: string): string => /^\w+\/(tools\/)?[^/]+/.exec(file)?.[0] ?? file

const isOfSource = (...files: string[]): boolean => files.every((file) => file.startsWith('src/'))

const isEntry = (file: string): boolean =>
  /^src\/(([^/]+|tools\/[^/]+|tools\/sandbox\/(port|remote))\/)?index\.ts$/.test(file)

function topLevelNames(source: ts.SourceFile, file: string): (Declaration & { name: string })[] {
  return source.statements.flatMap((statement) => {
    const modifiers = ts.canHaveModifiers(statement) ? ts.getModifiers(statement) : undefined
    const isExported = modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) ?? false
    const line = source.getLineAndCharacterOfPosition(statement.getStart(source)).line + 1
    return namesOf(statement).map((name) => ({ name, file, line, isExported }))
  })
}

function namesOf(statement: ts.Statement): string[] {
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.flatMap(({ name }) => (ts.isIdentifier(name) ? [name.text] : []))
  const isNamed =
    ts.isFunctionDeclaration(statement) ||
    ts.isClassDeclaration(statement) ||
    ts.isInterfaceDeclaration(statement) ||
    ts.isTypeAliasDeclaration(statement) ||
    ts.isEnumDeclaration(statement)
  return isNamed && statement.name ? [statement.name.text] : []
}

const internalExports = (source: ts.SourceFile, file: string): Diagnostic[] =>
  source.statements.flatMap((statement) => {
    const from = ts.isExportDeclaration(statement) && statement.moduleSpecifier
    if (!from || !ts.isStringLiteral(from) || !from.text.includes('/internal/')) return []
    const line = source.getLineAndCharacterOfPosition(statement.getStart(source)).line + 1
    const message = 'An entry re-exports from src/internal/. Move what it exports to src/shared/.'
    return [{ file, line, column: 1, rule: 'names', message }]
  })
