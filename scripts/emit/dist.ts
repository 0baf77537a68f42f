import { existsSync, readdirSync } from 'node:fs'
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join, normalize, relative } from 'node:path'
import ts from 'typescript'
import { emitDeclarations } from './compile.js'
import { moduleFiles } from './module.js'

/**
 * Makes the stage's `dist/` of `src/` and the stage's `generated/`. `src/` is copied to the stage, so that nothing has
 * to be swapped in before it is known to compile. What a reader of the installed package has no use for is left out:
 * declarations that no entry leads to, and maps of what is generated.
 *
 * @throws BuildError with every type error
 */
export async function emitDist(root: string, stage: string): Promise<void> {
  const dist = join(stage, 'dist')
  await cp(join(root, 'src'), join(stage, 'src'), { recursive: true })
  const modules = Promise.all(sourcesIn(stage).map((path) => emitModule(stage, path)))
  await Promise.all([emitDeclarations(root, stage), modules])
  for (const file of ['validators.d.ts', 'validators.js', 'world.d.ts', 'world.js'])
    await cp(join(stage, 'generated', file), join(dist, 'generated', file))
  await removeUnreachable(dist, await typesOfEntries(root))
}

async function emitModule(stage: string, path: string): Promise<void> {
  const source = await readFile(join(stage, path), 'utf8')
  for (const [file, content] of await moduleFiles(path, source, { map: path.startsWith('src') })) {
    await mkdir(join(stage, 'dist', dirname(file)), { recursive: true })
    await writeFile(join(stage, 'dist', file), content)
  }
}

/** Removes the declarations that no entry of the package leads to. */
async function removeUnreachable(dist: string, entries: string[]): Promise<void> {
  const reached = new Set<string>()
  const follow = async (path: string): Promise<void> => {
    if (reached.has(path) || !existsSync(join(dist, path))) return
    reached.add(path)
    for (const { fileName } of ts.preProcessFile(await readFile(join(dist, path), 'utf8')).importedFiles)
      await follow(join(dirname(path), fileName.replace(/\.js$/, '.d.ts')))
  }
  for (const entry of entries) await follow(entry)
  for (const path of compiledIn(dist, '.d.ts')) if (!reached.has(path)) await rm(join(dist, path))
}

/** Where the types of the package's entries are in `dist/`. */
async function typesOfEntries(root: string): Promise<string[]> {
  const { exports } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
    exports: Record<string, string | { types: string }>
  }
  return Object.values(exports).flatMap((entry) =>
    typeof entry === 'string' ? [] : [relative('dist', normalize(entry.types))],
  )
}

const sourcesIn = (stage: string): string[] => compiledIn(stage, '.ts').filter((path) => !path.endsWith('.d.ts'))

/** What is compiled, or came of it; the releases have a step of their own. */
const compiledIn = (parent: string, ending: string): string[] =>
  ['src', 'generated'].flatMap((folder) =>
    readdirSync(join(parent, folder), { recursive: true })
      .map((file) => join(folder, String(file)))
      .filter((path) => path.endsWith(ending)),
  )
