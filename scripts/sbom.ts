/**
 * The run-time parts of the package as a CycloneDX list, from the lockfile alone: the same for the same commit.
 *
 *     npm run --silent sbom > sbom.cdx.json
 */
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

interface Sbom {
  serialNumber?: string
  metadata: { timestamp?: string; component: { name: string } }
  components: { name: string; version: string }[]
}

/** @throws Error with what npm printed */
export async function makeSbom(root: string): Promise<Sbom> {
  const args = ['sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'library', '--omit', 'dev', '--package-lock-only']
  const { stdout } = await promisify(execFile)('npm', args, { cwd: root, maxBuffer: 16 * 1024 * 1024 })
  const sbom = JSON.parse(stdout) as Sbom
  const { name } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { name: string }
  delete sbom.serialNumber
  delete sbom.metadata.timestamp
  // npm names a project by its folder.
  sbom.metadata.component.name = name
  return sbom
}

if (process.argv[1] === import.meta.filename)
  process.stdout.write(`${JSON.stringify(await makeSbom(process.cwd()), undefined, 2)}\n`)
