import { join } from 'node:path'
import type { Contract } from './contract/index.js'
import { loadContract, readSource } from './contract/load.js'
import { throwIfProblems } from './diagnostics.js'
import { emitClient } from './emit/client.js'
import { emitConformance } from './emit/conformance.js'
import { emitExamples } from './emit/examples.js'
import { emitJson, emitYaml } from './emit/openapi.js'
import { emitOperations } from './emit/operations.js'
import { emitTypes } from './emit/types.js'
import { emitValidators, emitWorldCheck } from './emit/validators.js'
import { emitWorldSchema } from './emit/world.js'
import { lintWithRedocly, lintWithSpectral } from './lint/index.js'
import { releaseDates } from './release/frozen.js'
import type { Stage } from './stage.js'

/** The steps from `openapi/` to a staged `generated/`. */
export interface Generation {
  contract: Promise<Contract>
  /** Resolves when every file of `generated/` is staged. */
  files: Promise<unknown>
}

/** The texts of files below `generated/`. */
type Files = Record<string, string>

/** Reads, lints and bundles the contract and stages every file that is made from it. */
export function generate(root: string, { step, write }: Stage): Generation {
  const source = step('read', [], () => readSource(root))
  const contract = step('bundle', [source], () => loadContract(root, source))
  const emit = (name: string, files: (contract: Contract) => Promise<Files> | Files): Promise<void> =>
    step(name, [contract], async () => {
      for (const [file, text] of Object.entries(await files(await contract))) write(join('generated', file), text)
    })
  const files = Promise.all([
    emit('operations', (contract) => ({ 'operations.ts': emitOperations(contract, releaseDates(root)) })),
    emit('client', (contract) => ({ 'client.ts': emitClient(contract) })),
    emit('conformance', (contract) => ({ 'conformance.ts': emitConformance(contract) })),
    emit('examples', (contract) => ({ 'examples.ts': emitExamples(contract) })),
    emit('openapi', (contract) => ({ 'openapi.yaml': emitYaml(contract), 'openapi.json': emitJson(contract) })),
    emit('validators', emitValidators),
    emit('world', async (contract) => ({
      ...(await emitWorldCheck(contract)),
      'world.schema.json': emitWorldSchema(contract),
    })),
    emit('types', async (contract) => ({ 'types.ts': await emitTypes(contract) })),
  ])
  // After the files, so that the compiler works beside the lint; one after the other, so that they need less memory.
  const spectral = step('spectral', [contract, Promise.allSettled([files])], async () =>
    throwIfProblems(await lintWithSpectral(root, await source, (await contract).document)),
  )
  step('redocly', [spectral], async () => throwIfProblems(await lintWithRedocly(root)))
  return { contract, files }
}
