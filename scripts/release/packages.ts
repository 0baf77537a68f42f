import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'yaml'
import { packBoth } from '../pack.js'
import { run } from '../process.js'

const WORKFLOW = '.github/workflows/publish.yml'
const SBOM = 'dist/sbom.cdx.json'

/** What `npm publish --dry-run --json` prints of a package. */
interface Published {
  name: string
  size: number
  files: { path: string }[]
}

/**
 * What the tag of a version will publish, in words: the commands of the workflow are run as dry runs, without network, on
 * what was built last.
 *
 * @throws Error with what npm printed
 */
export async function publishingPlan(root: string, version: string): Promise<string> {
  if (!existsSync(join(root, SBOM))) return 'To see what its tag would publish, run "npm run build" first.'
  const { jobs } = parse(readFileSync(join(root, WORKFLOW), 'utf8'))
  const commands: string[] = jobs.publish.steps
    .map((step: { run?: string }) => step.run ?? '')
    .filter((command: string) => command.startsWith('npm publish '))
  const dryRun = ['--dry-run', '--json', '--offline']
  const lines: string[] = []
  const folder = await mkdtemp(join(tmpdir(), 'publish-'))
  try {
    await packBoth(root, join(folder, 'tarballs'))
    for (const command of commands) {
      const args = command.split(' ').slice(1)
      const printed = JSON.parse(await run('npm', [...args, ...dryRun], { cwd: folder }))
      lines.push(command, ...Object.values<Published>(printed).map((each) => `  ${describe(root, each)}`))
    }
  } finally {
    await rm(folder, { recursive: true })
  }
  return [`The tag v${version} starts ${WORKFLOW}, which will run, here with what was built last:`, ...lines].join('\n')
}

function describe(root: string, { name, size, files }: Published): string {
  const { components } = JSON.parse(readFileSync(join(root, SBOM), 'utf8'))
  const parts = components.map((each: { name: string; version: string }) => `${each.name} ${each.version}`)
  const sbom = files.some(({ path }) => path === SBOM) ? `, with ${SBOM} (${parts.join(', ')})` : ''
  return `${name}: ${files.length} files, ${Math.round(size / 1000)} kB${sbom}`
}
