import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { cp, mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { DeclarationReflection, ProjectReflection, Router } from 'typedoc'
import { BuildError } from '../diagnostics.js'
import { DECLARATIONS } from './dist.js'
import { packageEntries, REFERENCE } from './docs/entries.js'
import type { Section } from './docs/sections.js'

/**
 * The reference of the package, which TypeDoc makes of the declarations, in a folder of the site. It is made again only
 * when these have changed. Resolves to what the search finds in it.
 *
 * @throws BuildError when TypeDoc reads none of it
 */
export async function emitReference(root: string, stage: string, docs: string): Promise<Section[]> {
  const kept = join(root, '.build', REFERENCE)
  const version = join(kept, fingerprint(join(stage, DECLARATIONS), join(root, 'package.json')))
  const sections = join(version, 'sections.json')
  if (!existsSync(sections)) {
    await rm(kept, { recursive: true, force: true })
    const found = await document(root, stage, join(version, REFERENCE))
    await writeFile(sections, JSON.stringify(found))
  }
  await mkdir(docs, { recursive: true })
  await cp(join(version, REFERENCE), join(docs, REFERENCE), { recursive: true })
  return JSON.parse(readFileSync(sections, 'utf8'))
}

function fingerprint(folder: string, ...files: string[]): string {
  const all = readdirSync(folder, { recursive: true }).map((file) => join(folder, `${file}`))
  const hash = createHash('sha256')
  for (const file of [...all.filter((each) => each.endsWith('.ts')).sort(), ...files]) hash.update(readFileSync(file))
  return hash.digest('hex').slice(0, 16)
}

async function document(root: string, stage: string, out: string): Promise<Section[]> {
  // It loads the compiler, which takes a second.
  const { Application, RendererEvent } = await import('typedoc')
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
  const app = await Application.bootstrap({ ...OPTIONS, entryPoints: files, tsconfig, displayBasePath })
  const project = await app.convert()
  if (!project) throw new BuildError([{ file: 'src', rule: 'reference', message: 'TypeDoc cannot read the types.' }])
  const names = new Map(entries.map(({ name, file }) => [file.replace(/(\/index)?\.d\.ts$/, ''), name]))
  for (const module of project.children ?? []) module.name = names.get(module.name) ?? module.name
  const sections: Section[] = []
  app.renderer.on(RendererEvent.END, () => sections.push(...sectionsOf(project, app.renderer.router as Router)))
  await app.generateDocs(project, out)
  return sections
}

const OPTIONS = {
  name: '@workflow-automation/contract',
  readme: 'none',
  // Paths of the stage.
  disableSources: true,
  logLevel: 'Error',
  excludeExternals: true,
  hideGenerator: true,
  githubPages: false,
  navigationLinks: { Guides: '../index.html' },
} as const

/** Every export once, with the names and comments of its members. */
function sectionsOf({ children = [] }: ProjectReflection, router: Router): Section[] {
  return children.flatMap((module) =>
    (module.children ?? [])
      .filter((each) => !each.isReference())
      .map((each) => ({
        page: `Package, ${module.name}`,
        title: each.name,
        href: `${REFERENCE}/${router.getFullUrl(each)}`,
        text: [textOf(each), ...(each.children ?? []).map((member) => `${member.name}: ${textOf(member)}`)].join(' '),
      })),
  )
}

const textOf = ({ comment, signatures }: DeclarationReflection): string =>
  (comment ?? signatures?.[0]?.comment)?.summary
    .map(({ text }) => text)
    .join('')
    .replaceAll('\n', ' ') ?? ''
