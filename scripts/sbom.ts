/**
 * The run-time parts of the package as a CycloneDX list, from the lockfile alone: the same for the same commit.
 *
 *     npm run --silent sbom > sbom.cdx.json
 */
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

interface Sbom {
  serialNumber?: string
  metadata: { timestamp?: string; component: { name: string } }
  components: { name: string; version: string }[]
}

/** @throws Error with what npm printed */
export async function makeSbom(root: string): Promise<Sbom> {
  const folder = await withoutDevelopment(root)
  const args = ['sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'library', '--package-lock-only']
  const { stdout } = await promisify(execFile)('npm', args, { cwd: folder }).finally(() =>
    rm(folder, { recursive: true }),
  )
  const sbom = JSON.parse(stdout) as Sbom
  delete sbom.serialNumber
  delete sbom.metadata.timestamp
  // npm names a project by its folder.
  sbom.metadata.component.name = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')).name
  return sbom
}

/**
 * A folder with manifest and lockfile as they would be without what is for development. `--omit dev` also leaves out what
 * is for both (seen with npm 11.19: commander, which dependency-cruiser uses too).
 */
async function withoutDevelopment(root: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sbom-'))
  const read = async (file: string) => JSON.parse(await readFile(join(root, file), 'utf8'))
  const [manifest, lock] = await Promise.all([read('package.json'), read('package-lock.json')])
  delete manifest.devDependencies
  delete lock.packages[''].devDependencies
  for (const [path, { dev, devOptional }] of Object.entries<{ dev?: boolean; devOptional?: boolean }>(lock.packages))
    if (dev || devOptional) delete lock.packages[path]
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest))
  await writeFile(join(folder, 'package-lock.json'), JSON.stringify(lock))
  return folder
}

if (process.argv[1] === import.meta.filename)
  process.stdout.write(`${JSON.stringify(await makeSbom(process.cwd()), undefined, 2)}\n`)
