import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TypeDocOptions } from 'typedoc'
import type { PluginOptions } from 'typedoc-plugin-markdown'
import { BuildError } from '../diagnostics.js'
import { DECLARATIONS } from './dist.js'
import { packageEntries, REFERENCE } from './docs/entries.js'

/**
 * The reference of the package as Markdown by page, which TypeDoc makes of the declarations. It is made again only when
 * these have changed.
 *
 * @throws BuildError when TypeDoc reads none of it
 */
export async function readReference(root: string, stage: string): Promise<Map<string, string>> {
  const kept = join(root, '.build', REFERENCE)
  const version = join(kept, fingerprint(join(stage, DECLARATIONS), join(root, 'package.json')))
  const entries = packageEntries(root)
  const fileOf = (page: string) => join(version, `${page}.md`)
  if (!existsSync(version)) {
    await rm(kept, { recursive: true, force: true })
    // Whole or not at all, also when the build is interrupted.
    await document(root, stage, `${version}.part`)
    await rename(`${version}.part`, version)
  }
  return new Map(entries.map(({ page }) => [page, readFileSync(fileOf(page), 'utf8')]))
}

function fingerprint(folder: string, ...files: string[]): string {
  const all = readdirSync(folder, { recursive: true }).map((file) => join(folder, `${file}`))
  const hash = createHash('sha256')
  for (const file of [...all.filter((each) => each.endsWith('.ts')).sort(), ...files, import.meta.filename])
    hash.update(readFileSync(file))
  return hash.digest('hex').slice(0, 16)
}

async function document(root: string, stage: string, out: string): Promise<void> {
  // It loads the compiler, which takes a second.
  const { Application } = await import('typedoc')
  const entries = packageEntries(root)
  const files = entries.map(({ file }) => join(stage, DECLARATIONS, file))
  const tsconfig = join(stage, 'reference.json')
  const compilerOptions = { rootDir: DECLARATIONS, noEmit: true }
  await writeFile(
    tsconfig,
    JSON.stringify({ extends: join(root, 'tsconfig.build.json'), compilerOptions, files, include: [] }),
  )
  // TypeDoc names a module by its file below the base path.
  const displayBasePath = join(stage, DECLARATIONS)
  const outputs = [{ name: 'markdown', path: out }]
  const app = await Application.bootstrapWithPlugins({
    ...OPTIONS,
    entryPoints: files,
    tsconfig,
    displayBasePath,
    outputs,
  })
  const project = await app.convert()
  if (!project) throw new BuildError([{ file: 'src', rule: 'reference', message: 'TypeDoc cannot read the types.' }])
  const pages = new Map(entries.map(({ page, file }) => [file.replace(/(\/index)?\.d\.ts$/, ''), page]))
  for (const module of project.children ?? []) module.name = pages.get(module.name) ?? module.name
  await app.generateOutputs(project)
}

const OPTIONS: TypeDocOptions & PluginOptions = {
  plugin: ['typedoc-plugin-markdown'],
  name: '@workflow-automation/contract',
  readme: 'none',
  // Paths of the stage.
  disableSources: true,
  logLevel: 'Error',
  excludeExternals: true,
  router: 'module',
  // What a reader calls comes before what describes it.
  groupOrder: ['Functions', 'Classes', 'Variables', 'Interfaces', 'Type Aliases', '*'],
  hidePageHeader: true,
  hideBreadcrumbs: true,
  hidePageTitle: true,
  sanitizeComments: true,
  // Those that VitePress counts differ where a name is there twice.
  useCustomAnchors: true,
  customAnchorsFormat: 'curlyBrace',
  useCodeBlocks: true,
  parametersFormat: 'table',
  interfacePropertiesFormat: 'table',
  typeDeclarationFormat: 'table',
}
