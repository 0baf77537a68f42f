import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Json } from './contract/index.js'
import { packageName } from './notices.js'
import { run } from './support/process.js'

/**
 * The parts of the package as a CycloneDX list, from the lockfile alone: what npm installs with it, and the packages whose
 * code is bundled into it. The same for the same commit.
 *
 * @throws Error with what npm printed
 */
export async function makeSbom(root: string, bundled: string[]): Promise<{ components: { name: string }[] }> {
  const args = ['--sbom-format', 'cyclonedx', '--sbom-type', 'library', '--package-lock-only']
  const sbom = JSON.parse(await run('npm', ['sbom', ...args], { cwd: root }), (key, value) =>
    key === 'serialNumber' || key === 'timestamp' ? undefined : value,
  )
  const { component } = sbom.metadata
  // npm names a project by its folder.
  component.name = component['bom-ref'].replace(/@[^@]+$/, '')
  // With --omit=dev npm 11 leaves out what a development dependency needs as well.
  const isDevelopment = ({ name }: Json) => name.endsWith(':development')
  const { packages } = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8'))
  const references = bundled.map((name) => `${packageName(name)}@${packages[`node_modules/${name}`].version}`)
  const isBundled = (part: Json) => references.includes(part['bom-ref'])
  sbom.components = sbom.components.filter((part: Json) => isBundled(part) || !part.properties.some(isDevelopment))
  for (const part of sbom.components.filter(isBundled)) {
    part.properties = part.properties.filter((each: Json) => !isDevelopment(each))
    part.properties.push({ name: 'cdx:npm:package:bundled', value: 'true' })
  }
  const names = [component, ...sbom.components].map((part: Json) => part['bom-ref'])
  sbom.dependencies = sbom.dependencies
    .filter(({ ref }: Json) => names.includes(ref))
    .map(({ ref, dependsOn }: Json) => ({ ref, dependsOn: dependsOn.filter((name: string) => names.includes(name)) }))
  return sbom
}
