import { join } from 'node:path'
import { type Contract, loadContract } from './contract/index.js'
import { readSource } from './contract/source.js'
import { emitClient } from './emit/client.js'
import { emitConformance } from './emit/conformance.js'
import { emitExamples } from './emit/examples.js'
import { emitJson, emitYaml } from './emit/openapi.js'
import { emitOperations } from './emit/operations.js'
import { emitTypes } from './emit/types.js'
import { emitValidators, emitWorldValidator } from './emit/validators/index.js'
import { emitWorldSchema } from './emit/validators/world.js'
import { lintBundle, lintSource, startSpectral } from './lint/index.js'
import { BuildError, type Problem } from './problems.js'
import { releasesOf } from './release/frozen.js'
import type { Stage } from './stage.js'
import type { Steps } from './steps.js'

/** The steps from `openapi/` to a staged `generated/`. */
export interface Generation {
  contract: Promise<Contract>
  /** Resolves when every file of `generated/` is staged. */
  files: Promise<unknown>
}

/** Reads, lints and bundles the contract and stages every file that is made from it. */
export function generate(root: string, stage: Stage, { step }: Steps): Generation {
  const spectral = startSpectral(root)
  const source = step('read', [], async () => {
    const { source, problems } = await readSource(root)
    return ended(source, problems)
  })
  const contract = step('bundle', [source], () => loadContract(root))
  step('spectral', [contract], async () => ended(null, await spectral(await source, (await contract).document)))
  const emit = (
    name: string,
    files: (contract: Contract) => Promise<Record<string, string>> | Record<string, string>,
  ): Promise<void> =>
    step(name, [contract], async () => {
      for (const [file, text] of Object.entries(await files(await contract))) stage.write(join('generated', file), text)
    })
  const files = Promise.all([
    emit('operations', (contract) => ({
      'operations.ts': emitOperations(
        contract,
        releasesOf(root).map(({ date }) => date),
      ),
    })),
    emit('client', (contract) => ({ 'client.ts': emitClient(contract) })),
    emit('conformance', (contract) => ({ 'conformance.ts': emitConformance(contract) })),
    emit('examples', (contract) => ({ 'examples.ts': emitExamples(contract) })),
    emit('openapi', (contract) => ({ 'openapi.yaml': emitYaml(contract), 'openapi.json': emitJson(contract) })),
    emit('validators', async (contract) => {
      const { code, declarations } = await emitValidators(contract)
      return { 'validators.js': code, 'validators.d.ts': declarations }
    }),
    emit('world', async (contract) => {
      const { code, declarations } = await emitWorldValidator(contract)
      return { 'world.js': code, 'world.d.ts': declarations, 'world.schema.json': emitWorldSchema(contract) }
    }),
    emit('types', async (contract) => ({ 'types.ts': await emitTypes(contract) })),
  ])
  // One after the other: together they would only hold more memory at once.
  const linted = step('lint source', [files], async () => ended(null, await lintSource(root)))
  step('lint bundle', [linted], async () => ended(null, await lintBundle(root, (await contract).document)))
  return { contract, files }
}

/** The result of a step that may have found problems. */
function ended<T>(result: T, problems: Problem[]): T {
  if (problems.length > 0) throw new BuildError(problems)
  return result
}
