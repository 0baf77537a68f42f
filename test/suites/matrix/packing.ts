import { mkdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { packTarball, settleModes } from '../../../scripts/pack.js'
import { run } from './run.js'
import type { Outcome, Row } from './runtimes.js'
import { workshop } from './tools.js'

/** Packs as those do who build the tarball again. */
export const cloneRow = (root: string): Row => ({ name: 'The tarball of a clone', run: () => packClone(root) })
/** Inspects the dependencies as npm does. */
export const auditRow = (project: string): Row => ({
  name: 'npm audit of what is installed',
  run: () => audit(project),
})

/** Builds and packs the last commit again, in another folder under another mask, and compares with what is built here. */
async function packClone(root: string): Promise<Outcome> {
  const { stdout: changed } = await run('git', ['status', '--porcelain'], root)
  if (changed) return { passed: 0, failed: [], skipped: 'there are changes that are not committed' }
  const folder = join(workshop(root), 'clones')
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  const clone = join(folder, 'another folder')
  const script = `umask 077 && git clone --quiet "${root}" "${clone}" && ln -s "${root}/node_modules" "${clone}"`
  const again = `${script} && cd "${clone}" && npm run --silent release -- tarball`
  const { code, stderr } = await run('sh', ['-c', again], folder)
  if (code !== 0) return { passed: 0, failed: [stderr.trim().slice(-2_000)] }
  await settleModes(root)
  const here = join(folder, 'here')
  await packTarball(root, here)
  const [one, other] = [here, join(clone, 'tarballs')].map((at) => readFile(join(at, 'contract.tgz')))
  if ((await one)?.equals((await other) as Buffer)) return { passed: 1, failed: [] }
  return { passed: 0, failed: ['The same commit gave other bytes of contract.tgz. Was dist/ built of it?'] }
}

/** A registry without audits is no failure, and is reported. */
async function audit(project: string): Promise<Outcome> {
  const { code, stdout } = await run('npm', ['audit', '--omit', 'dev', '--json'], project)
  const report = JSON.parse(stdout || '{}') as { vulnerabilities?: Record<string, { severity: string }> }
  if (!report.vulnerabilities) return { passed: 0, failed: [], skipped: 'the registry offers no audits' }
  const found = Object.entries(report.vulnerabilities).map(([name, { severity }]) => `${name}: ${severity}`)
  return code === 0 ? { passed: 1, failed: [] } : { passed: 0, failed: found }
}
