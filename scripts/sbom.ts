/**
 * The run-time parts of the package as a CycloneDX list, from the lockfile alone: the same for the same commit.
 *
 *     npm run --silent sbom > sbom.cdx.json
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run } from './process.js'

interface Sbom {
  serialNumber?: string
  metadata: { timestamp?: string; component: { name: string } }
  components: { name: string; version: string }[]
}

/** @throws Error with what npm printed */
export async function makeSbom(root: string): Promise<Sbom> {
  // npm 11 leaves out with --omit=dev what a development dependency needs as well, so it is given no other packages.
  const folder = await mkdtemp(join(tmpdir(), 'sbom-'))
  try {
    const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
    delete manifest.devDependencies
    delete manifest.workspaces
    const lockfile = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8'))
    const packages = Object.entries<{ dev?: boolean; link?: boolean }>(lockfile.packages).filter(
      ([path, { dev, link }]) => path.startsWith('node_modules/') && !dev && !link,
    )
    lockfile.packages = { ...Object.fromEntries(packages), '': manifest }
    await writeFile(join(folder, 'package.json'), JSON.stringify(manifest))
    await writeFile(join(folder, 'package-lock.json'), JSON.stringify(lockfile))
    const args = ['sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'library', '--package-lock-only']
    const sbom: Sbom = JSON.parse(await run('npm', args, { cwd: folder }))
    delete sbom.serialNumber
    delete sbom.metadata.timestamp
    // npm names a project by its folder.
    sbom.metadata.component.name = manifest.name
    return sbom
  } finally {
    await rm(folder, { recursive: true })
  }
}

if (process.argv[1] === import.meta.filename)
  process.stdout.write(`${JSON.stringify(await makeSbom(process.cwd()), undefined, 2)}\n`)
