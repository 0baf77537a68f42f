import { basename, dirname, join, relative } from 'node:path'
import { decode, encode, type SourceMapSegment } from '@jridgewell/sourcemap-codec'
import { transform } from 'esbuild'

/**
 * A module as it is published: without its comments, which the declarations have, and with a map from its lines to those
 * of its source. Finer maps, or the text of the sources in them, would be half of what is installed.
 *
 * @param path of the source, relative to the project's folder; the files have the same place in `dist/`
 * @returns the files by their path in `dist/`
 */
export async function moduleFiles(
  path: string,
  source: string,
  { map }: { map: boolean },
): Promise<[string, string][]> {
  const { code: outputText, map: sourceMapText } = await transform(source, {
    loader: 'ts',
    target: 'es2022',
    sourcefile: path,
    sourcemap: map && 'external',
    sourcesContent: false,
    legalComments: 'none',
    tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true, useDefineForClassFields: true } },
  })
  const file = path.replace(/\.ts$/, '.js')
  if (!sourceMapText) return [[file, outputText]]
  const { mappings } = JSON.parse(sourceMapText) as { mappings: string }
  const lines = {
    version: 3,
    file: basename(file),
    sources: [relative(join('dist', dirname(path)), path)],
    names: [],
    mappings: encode(decode(mappings).map(firstSegment)),
  }
  return [
    [file, `${outputText}//# sourceMappingURL=${basename(file)}.map\n`],
    [`${file}.map`, JSON.stringify(lines)],
  ]
}

const firstSegment = ([first]: SourceMapSegment[]): SourceMapSegment[] => (first ? [first] : [])
