import { mkdir, readFile, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { run } from './run.js'
import type { Outcome, Row } from './runtimes.js'
import { workshop } from './tools.js'

/** Inspects the tarball and its dependencies as npm, publint and other tools do. */
export const packingRows = (root: string, project: string): Row[] => [
  { name: 'npm pack of two clones', run: () => packTwice(root) },
  { name: 'npm audit of what is installed', run: () => audit(project) },
]

/** Clones the last commit twice, and packs under another mask and another path. */
async function packTwice(root: string): Promise<Outcome> {
  const folder = join(workshop(root), 'clones')
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  const tarballs: Buffer[] = []
  for (const [name, mask] of [
    ['here', '022'],
    ['another folder', '077'],
  ] as const) {
    const clone = join(folder, name)
    const script = `umask ${mask} && git clone --quiet "${root}" "${clone}"`
    const cloned = await run('sh', ['-c', script], folder)
    if (cloned.code !== 0) return { passed: 0, failed: [cloned.stderr.trim()] }
    await symlink(join(root, 'node_modules'), join(clone, 'node_modules'))
    const packed = await run('sh', ['-c', `umask ${mask} && npm pack --silent`], clone)
    const file = packed.stdout.trim().split('\n').at(-1) ?? ''
    if (packed.code !== 0) return { passed: 0, failed: [packed.stderr.trim().slice(-2_000)] }
    tarballs.push(await readFile(join(clone, file)))
  }
  const [first, second] = tarballs as [Buffer, Buffer]
  return first.equals(second) ? { passed: 1, failed: [] } : { passed: 0, failed: ['The same commit gave other bytes.'] }
}

/** A registry without audits is no failure, and is reported. */
async function audit(project: string): Promise<Outcome> {
  const { code, stdout } = await run('npm', ['audit', '--omit', 'dev', '--json'], project)
  const report = JSON.parse(stdout || '{}') as { vulnerabilities?: Record<string, { severity: string }> }
  if (!report.vulnerabilities) return { passed: 0, failed: [], skipped: 'the registry offers no audits' }
  const found = Object.entries(report.vulnerabilities).map(([name, { severity }]) => `${name}: ${severity}`)
  return code === 0 ? { passed: 1, failed: [] } : { passed: 0, failed: found }
}
