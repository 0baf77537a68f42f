import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { BasisEntry, Contract } from '../contract/index.js'
import { locate, REGISTER, type Source } from '../contract/load.js'
import { BuildError, type Diagnostic } from '../support/diagnostics.js'

type Conformance = typeof import('../../src/tools/conformance/index.js')
type Sandbox = typeof import('../../src/tools/sandbox/index.js') & Pick<Operations, 'STEP_STATUS'>
type Operations = typeof import('../../generated/contract.js')

/**
 * Whether `needs` and `unobservable` of the register say why `verify` shows an entry or does not: a built package checks its
 * sandbox, without options and then with all of them.
 */
export async function lintExercised(
  root: string,
  dist: string,
  source: Source,
  contract: Contract,
): Promise<Diagnostic[]> {
  const load = (path: string) => import(pathToFileURL(join(dist, path)).href)
  const conformance: Conformance = await load('src/tools/conformance/index.js')
  const { STEP_STATUS }: Operations = await load('generated/contract.js')
  const sandbox: Sandbox = { ...(await load('src/tools/sandbox/index.js')), STEP_STATUS }
  const { register } = contract
  const entries = (source.get(REGISTER)?.parsed ?? []) as unknown[]
  const problemsAt = async (depth: 'normal' | 'thorough'): Promise<Diagnostic[]> => {
    const [plain, full] = await Promise.all([
      shownBy(conformance, sandbox, { depth }),
      shownBy(conformance, sandbox, { depth, trigger: 'needsApproval', rateLimit: true }),
    ])
    return register.flatMap(({ id, verify, notEnforced }) => {
      const message = notEnforced ? undefined : adviceOf(id, plain.has(id), full.has(id), verify)
      const index = entries.findIndex((entry) => (entry as { id: string }).id === id)
      return message ? [{ ...locate(root, source, REGISTER, [index]), rule: 'exercised', message }] : []
    })
  }
  // A larger contract has more requests than the depth normal sends; to send all of them takes some seconds more.
  const problems = await problemsAt('normal')
  return problems.length === 0 ? [] : problemsAt('thorough')
}

/** What to change at an entry; undefined if the register says why `verify` shows it or does not. */
function adviceOf(
  id: string,
  isPlain: boolean,
  isFull: boolean,
  { needs, unobservable }: BasisEntry['verify'] = {},
): string | undefined {
  if (!isFull && !unobservable)
    return [
      `${id}: no request of verify shows it, also with every option.`,
      'Give the reason in "verify.unobservable", the options that would in "verify.needs",',
      'or let a check in src/tools/conformance show it.',
    ].join(' ')
  if (!isPlain && !needs && !unobservable)
    return `${id}: verify shows it only with options. Name them in "verify.needs".`
  return undefined
}

interface Given {
  depth: 'normal' | 'thorough'
  trigger?: 'needsApproval'
  rateLimit?: boolean
}

/** The entries that a check of the sandbox shows. No time passes but in waits, and every step that waits is approved. */
async function shownBy(
  { checkConformance }: Conformance,
  { createSandbox, STEP_STATUS }: Sandbox,
  given: Given,
): Promise<Set<string>> {
  let time = 0
  const seen = new Set<string>()
  const clock = {
    now: () => time,
    async sleep(ms: number) {
      time += ms
      const waiting = sandbox.state.workspaces
        .flatMap(({ runs }) => runs)
        .filter(({ run }) => run.steps.some(({ status }) => status === STEP_STATUS.waitingApproval))
      // Not at the first wait, so that a step is seen to wait.
      for (const { run } of waiting) if (seen.has(run.id)) sandbox.approve(run.id)
      for (const { run } of waiting) seen.add(run.id)
    },
  }
  const sandbox = createSandbox({ clock })
  const { keys, playbooks, baseUrl } = sandbox
  // What the sandbox of this build cannot send would look like a network that is down.
  let broken: unknown
  const fetch: typeof sandbox.fetch = (...args) =>
    sandbox.fetch(...args).catch((error) => {
      broken ??= error
      throw error
    })
  const report = await checkConformance({
    baseUrl,
    apiKey: keys.valid,
    readOnlyKey: keys.readOnly,
    otherWorkspaceKey: keys.otherWorkspace,
    hobbyKey: keys.hobby,
    trigger: given.trigger && playbooks[given.trigger],
    rateLimit: given.rateLimit,
    depth: given.depth,
    fetch,
    clock,
  }).catch((error: unknown) => ({ error }))
  if (broken) {
    const message = `verify cannot check the sandbox of this build: ${(broken as Error).message} Let the sandbox send what the contract states.`
    throw new BuildError([{ file: 'src/tools/sandbox/runs/operations.ts', rule: 'exercised', message }])
  }
  if ('error' in report) throw report.error
  return new Set(report.findings.filter(({ outcome }) => outcome !== 'not-exercised').map(({ basis }) => basis))
}
