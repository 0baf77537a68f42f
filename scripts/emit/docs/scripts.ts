import { cp, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type BuildOptions, build } from 'esbuild'
import { type GuideProgram, isInPage, PAGE_MODULES, readPrograms } from './programs.js'

/**
 * The scripts that a page loads when they are asked for: `run.js` executes the code of the guides, `try.js` has the
 * request form. They are bundled from the staged `src/` and `generated/`. In `run.js` the sandbox is the network.
 */
export async function emitPageScripts(root: string, staged: string, out: string): Promise<void> {
  const folder = join(staged, 'site')
  await mkdir(out, { recursive: true })
  await cp(join(root, 'site'), folder, { recursive: true })
  const programs = readPrograms(root).filter(({ runnable }) => runnable > 0)
  for (const program of programs) await writeFile(join(folder, `${program.name}.guide.ts`), moduleOf(program))
  await writeFile(join(folder, 'programs.ts'), indexOf(programs))
  const alias = Object.fromEntries(Object.entries(PAGE_MODULES).map(([name, file]) => [name, join(staged, file)]))
  const bundle = (entry: string, options: BuildOptions = {}) =>
    build({ ...BUNDLE, alias, entryPoints: [join(folder, entry)], outdir: out, absWorkingDir: staged, ...options })
  await bundle('try.tsx')
  await bundle('run.ts', { inject: [join(folder, 'globals.ts')], define: { 'globalThis.fetch': 'sandboxFetch' } })
}

const BUNDLE = {
  bundle: true,
  minify: true,
  target: 'es2022',
  loader: { '.css': 'text' },
  logLevel: 'silent',
} satisfies BuildOptions

/** A program as a function, which ends where its caller wants. */
const moduleOf = ({ imports, blocks, runnable }: GuideProgram): string =>
  [
    // Blocks that need what the page does not have come after those that run.
    ...imports.filter(isInPage),
    'export const program = async (console, reach) => {',
    ...blocks.slice(0, runnable).map((block, index) => `if (reach(${index})) return\n${block}`),
    '}',
  ].join('\n')

const indexOf = (programs: GuideProgram[]): string =>
  [
    ...programs.map(({ name }, index) => `import { program as p${index} } from './${name}.guide.js'`),
    `export const programs = {${programs.map(({ name }, index) => `'${name}': p${index}`).join(', ')}}`,
  ].join('\n')
