import type { Json } from './contract/index.js'
import { run } from './support/process.js'

/**
 * The run-time parts of the package as a CycloneDX list, from the lockfile alone: the same for the same commit.
 *
 * @throws Error with what npm printed
 */
export async function makeSbom(root: string): Promise<{ components: { name: string }[] }> {
  const args = ['--sbom-format', 'cyclonedx', '--sbom-type', 'library', '--package-lock-only']
  const sbom = JSON.parse(await run('npm', ['sbom', ...args], { cwd: root }), (key, value) =>
    key === 'serialNumber' || key === 'timestamp' ? undefined : value,
  )
  const { component } = sbom.metadata
  // npm names a project by its folder.
  component.name = component['bom-ref'].replace(/@[^@]+$/, '')
  // With --omit=dev npm 11 leaves out what a development dependency needs as well.
  const isDevelopment = ({ properties }: Json) => properties.some(({ name }: Json) => name.endsWith(':development'))
  sbom.components = sbom.components.filter((part: Json) => !isDevelopment(part))
  const names = [component, ...sbom.components].map((part: Json) => part['bom-ref'])
  sbom.dependencies = sbom.dependencies
    .filter(({ ref }: Json) => names.includes(ref))
    .map(({ ref, dependsOn }: Json) => ({ ref, dependsOn: dependsOn.filter((name: string) => names.includes(name)) }))
  return sbom
}
