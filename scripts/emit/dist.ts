import { readdirSync, readFileSync } from 'node:fs'
import { cp, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { type BuildOptions, build } from 'rolldown'
import { dts } from 'rolldown-plugin-dts'
import { packagesOf } from '../notices.js'
import { type Diagnostic, throwIfProblems } from '../support/diagnostics.js'
import { filesBelow } from '../support/files.js'
import { compile } from './compile.js'

/** Below a stage: the declarations as the compiler wrote them, a file for each module. */
export const DECLARATIONS = 'declarations'

/**
 * Compiles `src/`, copied to the stage, and the stage's `generated/` to the stage's `dist/`. There are no source maps:
 * the modules are not minified, so a stack frame leads to a line that can be read in the installed package. Resolves to
 * the names of the packages whose code is in `dist/`.
 *
 * @throws BuildError with every type error
 */
export async function emitDist(root: string, stage: string): Promise<string[]> {
  await cp(join(root, 'src'), join(stage, 'src'), { recursive: true })
  const config = {
    extends: join(root, 'tsconfig.build.json'),
    compilerOptions: { rootDir: '.', emitDeclarationOnly: true, outDir: DECLARATIONS },
    include: ['src', 'generated'],
    exclude: ['src/tools/console'],
  }
  await writeFile(join(stage, 'tsconfig.json'), JSON.stringify(config))
  const rest = await prepareRest(root, stage)
  throwIfProblems((await Promise.all([compile(root, stage, 'tsconfig.json'), compile(root, stage, rest)])).flat())
  const files = Object.values(entriesOf(root))
  const wings = wingModules([...files, 'src/tools/cli/index.d.ts'], stage)
  const bundles = [declarations(files, stage), ...separateModules(stage), wings, consoleScript(stage)]
  // An inlined constant would leave an import of nothing, of which bundlers warn; the comments name sources.
  const common = {
    checks: { pluginTimings: false },
    optimization: { inlineConst: false },
    experimental: { attachDebugInfo: 'none' },
  } as const
  const built = await build(bundles.map((options) => ({ ...options, ...common })))
  for (const file of ['index.html', 'styles.css'])
    await cp(join(stage, 'src', CONSOLE, file), join(stage, 'dist/src', CONSOLE, file))
  throwIfProblems(idsInHovers(root, stage))
  const chunks = built.flatMap(({ output }) => output.filter((each) => each.type === 'chunk'))
  return packagesOf(chunks.flatMap(({ moduleIds }) => moduleIds))
}

/** Ids of the register in the comments of declarations, which editors show, with the line of the source that has them. */
function idsInHovers(root: string, stage: string): Diagnostic[] {
  const found = filesBelow(stage, 'dist')
    .filter((file) => file.endsWith('.d.ts'))
    .flatMap((file) => readFileSync(join(stage, file), 'utf8').match(/\/\*\*[\s\S]*?\*\//g) ?? [])
    .flatMap((comment) => comment.split('\n').filter((line) => /\b[SODA]\d\d\b/.test(line)))
    .map((line) => line.replace(/^[\s/*]+|[\s/*]+$/g, ''))
  const sources = found.length > 0 ? filesBelow(root, 'src') : []
  const message =
    'A comment that editors show cites an entry of the register. Name the section of the specification instead.'
  return [...new Set(found)].map((text) => {
    for (const file of sources) {
      const line = readFileSync(join(root, file), 'utf8')
        .split('\n')
        .findIndex((each) => each.includes(text))
      if (line >= 0) return { file, line: line + 1, rule: 'hover', message }
    }
    return { file: 'generated/types.ts', rule: 'hover', message: `${message} "${text}"` }
  })
}

/** The project of what the package does not have as modules: the pages. */
async function prepareRest(root: string, stage: string): Promise<string> {
  for (const folder of ['site', 'scripts'])
    await cp(join(root, folder), join(stage, folder), { recursive: true, filter: isSource })
  const { compilerOptions } = JSON.parse(await readFile(join(root, 'tsconfig.json'), 'utf8'))
  const include = ['site', 'src/tools/console']
  const name = 'tsconfig.rest.json'
  await writeFile(join(stage, name), JSON.stringify({ compilerOptions, include }))
  return name
}

const isSource = (path: string): boolean => !path.includes('node_modules')

/** The declarations of the entries, in a file for each and some that they share: the tarball is 14 kB smaller. */
const declarations = (files: string[], stage: string): BuildOptions => ({
  input: Object.fromEntries(files.map((file) => [file.replace(/\.d\.ts$/, ''), join(stage, DECLARATIONS, file)])),
  external: /^[^./]/,
  plugins: [dts({ dtsInput: true })],
  cwd: stage,
  output: {
    dir: 'dist',
    entryFileNames: '[name].d.ts',
    chunkFileNames: 'src/types/[name].d.ts',
    // `using` in tests; a project whose `lib` is older has no such names.
    banner: ({ moduleIds }) =>
      moduleIds.some((id) => /Symbol\.(?:asyncD|d)ispose/.test(readFileSync(id, 'utf8')))
        ? '/// <reference lib="esnext.disposable" />'
        : '',
  },
})

/**
 * The modules that applications bundle stay files of their own, so that what an application does not need is left out.
 * Comments are dropped: declarations have the documentation, and the repository the reasons.
 */
function separateModules(stage: string): BuildOptions[] {
  const files = ['src/client', 'src/internal', 'src/runtime', 'src/status', 'src/validators', 'generated'].flatMap(
    (folder) => readdirSync(join(stage, folder), { recursive: true }).map((file) => join(stage, folder, `${file}`)),
  )
  const compiled = /\/(?:checks|world)\.js$/
  return [
    {
      input: files.filter((file) => /(?<!\.d)\.ts$/.test(file)),
      external: [/^[^./]/, compiled],
      output: { dir: join(stage, 'dist'), comments: false, preserveModules: true, preserveModulesRoot: stage },
    },
    // Ajv's code is not for readers.
    {
      input: Object.fromEntries(
        files.filter((file) => compiled.test(file)).map((file) => [relative(stage, file).replace(/\.js$/, ''), file]),
      ),
      output: { dir: join(stage, 'dist'), minify: true },
    },
  ]
}

/** What npm installs beside the package. The width of text is bundled: who only uses the client need not have it. */
const INSTALLED = /^(?!(?:string-width|strip-ansi|ansi-regex|get-east-asian-width)$)[^./]/

/** The other modules in a file for each entry and some that entries share: the tarball is 9 kB smaller. */
function wingModules(files: string[], stage: string): BuildOptions {
  const src = join(stage, 'src')
  const names = files.flatMap((file) => /^src\/(?!client\/|status\/|validators\/)(.*)\.d\.ts$/.exec(file)?.[1] ?? [])
  return {
    input: Object.fromEntries(names.map((name) => [name, join(src, `${name}.ts`)])),
    external: [INSTALLED, /^[./]+(?:client|internal|runtime|status|validators|generated)\//],
    output: {
      dir: join(stage, 'dist/src'),
      comments: false,
      minifyInternalExports: false,
      chunkFileNames: ({ moduleIds }) => `${relative(src, dirname(`${moduleIds.at(-1)}`))}/shared/[name].js`,
    },
  }
}

const CONSOLE = 'tools/console'

/** The script of the sandbox's console, with everything in it. */
const consoleScript = (stage: string): BuildOptions => ({
  input: join(stage, 'src', CONSOLE, 'main.tsx'),
  tsconfig: join(stage, 'tsconfig.json'),
  output: { file: join(stage, 'dist/src', CONSOLE, 'console.js'), comments: false, minify: true },
})

/** The entries of the package that have declarations, each with its file below `dist/`. */
export function entriesOf(root: string): Record<string, string> {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const typed = Object.entries<{ types?: string }>(exports).filter(([, { types }]) => types)
  return Object.fromEntries(typed.map(([entry, { types = '' }]) => [entry, types.replace('./dist/', '')]))
}
