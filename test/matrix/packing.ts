import { mkdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { packBoth, settleModes } from '../../scripts/pack.js'
import { run } from './run.js'
import type { Outcome, Row } from './runtimes.js'
import { workshop } from './tools.js'

/** Inspects the tarballs and their dependencies as npm and those do who build them again. */
export const packingRows = (root: string, project: string): Row[] => [
  { name: 'The tarballs of a clone', run: () => packClone(root) },
  { name: 'npm audit of what is installed', run: () => audit(project) },
]

/** Builds and packs the last commit again, in another folder under another mask, and compares with what is built here. */
async function packClone(root: string): Promise<Outcome> {
  const { stdout: changed } = await run('git', ['status', '--porcelain'], root)
  if (changed) return { passed: 0, failed: [], skipped: 'there are changes that are not committed' }
  const folder = join(workshop(root), 'clones')
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  const clone = join(folder, 'another folder')
  const script = `umask 077 && git clone --quiet "${root}" "${clone}" && ln -s "${root}/node_modules" "${clone}"`
  const again = `${script} && cd "${clone}" && npm run --silent tarballs`
  const { code, stderr } = await run('sh', ['-c', again], folder)
  if (code !== 0) return { passed: 0, failed: [stderr.trim().slice(-2_000)] }
  for (const each of [root, join(root, 'packages/releases')]) await settleModes(each)
  const here = join(folder, 'here')
  await packBoth(root, here)
  const outcome: Outcome = { passed: 0, failed: [] }
  for (const name of ['contract.tgz', 'contract-releases.tgz']) {
    const [one, other] = [await readFile(join(here, name)), await readFile(join(clone, 'tarballs', name))]
    if (one.equals(other)) outcome.passed++
    else outcome.failed.push(`The same commit gave other bytes of ${name}. Was dist/ built of it?`)
  }
  return outcome
}

/** A registry without audits is no failure, and is reported. */
async function audit(project: string): Promise<Outcome> {
  const { code, stdout } = await run('npm', ['audit', '--omit', 'dev', '--json'], project)
  const report = JSON.parse(stdout || '{}') as { vulnerabilities?: Record<string, { severity: string }> }
  if (!report.vulnerabilities) return { passed: 0, failed: [], skipped: 'the registry offers no audits' }
  const found = Object.entries(report.vulnerabilities).map(([name, { severity }]) => `${name}: ${severity}`)
  return code === 0 ? { passed: 1, failed: [] } : { passed: 0, failed: found }
}
