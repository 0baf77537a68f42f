import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TypeDocOptions } from 'typedoc'
import type { PluginOptions } from 'typedoc-plugin-markdown'
import { BuildError } from '../support/diagnostics.js'
import { fingerprintOf, kept } from '../support/kept.js'
import { DECLARATIONS } from './dist.js'
import { packageEntries, REFERENCE } from './docs/entries.js'

/**
 * The reference of the package as Markdown by page, which TypeDoc makes of the declarations. It is made again only when
 * these have changed.
 *
 * @throws BuildError when TypeDoc reads none of it
 */
export async function readReference(root: string, stage: string): Promise<Map<string, string>> {
  const inputs = [join(root, 'package.json'), import.meta.filename, join(import.meta.dirname, 'reference-plugin.ts')]
  const made = await kept(join(root, '.build', REFERENCE), fingerprintOf(join(stage, DECLARATIONS), inputs), (part) =>
    document(root, stage, part),
  )
  return new Map(packageEntries(root).map(({ page }) => [page, readFileSync(join(made, `${page}.md`), 'utf8')]))
}

async function document(root: string, stage: string, out: string): Promise<void> {
  // It loads the compiler, which takes a second.
  const [{ Application }, { load }] = await Promise.all([import('typedoc'), import('./reference-plugin.js')])
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
    plugin: ['typedoc-plugin-markdown', load],
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
  name: '@workflow-automation/contract',
  readme: 'none',
  // Paths of the stage.
  disableSources: true,
  logLevel: 'Error',
  excludeExternals: true,
  excludeReferences: true,
  router: 'module',
  theme: 'reference',
  // Functions come before the types that describe them.
  groupOrder: ['Functions', 'Classes', 'Variables', 'Interfaces', 'Type Aliases', '*'],
  hidePageHeader: true,
  hideBreadcrumbs: true,
  hidePageTitle: true,
  sanitizeComments: true,
  // Those that VitePress counts differ where a name is there twice.
  useCustomAnchors: true,
  customAnchorsFormat: 'curlyBrace',
  // In code, types cannot be links.
  expandParameters: true,
  tableColumnSettings: { hideInherited: true, hideOverrides: true },
  parametersFormat: 'table',
  classPropertiesFormat: 'table',
  interfacePropertiesFormat: 'table',
  typeDeclarationFormat: 'table',
}
