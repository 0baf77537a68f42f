import { basename, dirname, join, relative } from 'node:path'
import { decode, encode, type SourceMapSegment } from '@jridgewell/sourcemap-codec'
import ts from 'typescript'

/**
 * A module as it is published: without its comments, which the declarations have, and with a map from its lines to those
 * of its source. Finer maps, or the text of the sources in them, would be half of what is installed.
 *
 * @param path of the source, relative to the project's folder; the files have the same place in `dist/`
 * @returns the files by their path in `dist/`
 */
export function moduleFiles(path: string, source: string, { map }: { map: boolean }): [string, string][] {
  const compilerOptions: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    verbatimModuleSyntax: true,
    removeComments: true,
    sourceMap: map,
  }
  const { outputText, sourceMapText } = ts.transpileModule(source, { fileName: path, compilerOptions })
  const file = path.replace(/\.ts$/, '.js')
  if (sourceMapText === undefined) return [[file, outputText]]
  const { mappings } = JSON.parse(sourceMapText) as { mappings: string }
  const lines = {
    version: 3,
    file: basename(file),
    sources: [relative(join('dist', dirname(path)), path)],
    names: [],
    mappings: encode(decode(mappings).map(firstSegment)),
  }
  return [
    [file, outputText],
    [`${file}.map`, JSON.stringify(lines)],
  ]
}

const firstSegment = ([first]: SourceMapSegment[]): SourceMapSegment[] => (first ? [first] : [])
