import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { withHovers } from '../contract/hovers.js'
import type { Contract } from '../contract/index.js'
import { loadContract, locateInBundle, readSource } from '../contract/load.js'
import { type LocatePath, nameProblems } from '../contract/names.js'
import { unsupported } from '../contract/supported-by-code.js'
import { lintWithRedocly, lintWithSpectral } from '../lint/index.js'
import { lintProse } from '../lint/prose.js'
import { lintWorkflows } from '../lint/workflows.js'
import { throwIfProblems } from '../support/diagnostics.js'
import type { FilledGuide, Stage } from '../support/stage.js'
import { GUIDES } from './docs/guides.js'
import { emitGuides } from './docs/index.js'
import { emitBodies, emitClient } from './modules/client.js'
import { emitContract } from './modules/contract.js'
import { emitExamples } from './modules/examples.js'
import { emitHandlerBodies } from './modules/handlers.js'
import { emitTypes } from './modules/types.js'
import { emitValidators, emitWorldCheck } from './modules/validators.js'
import { emitDocuments } from './openapi.js'
import { emitReportSchema } from './report-schema.js'
import { emitWorldSchema } from './world.js'

/** The texts of files below `generated/`. */
type Files = Record<string, string>

/** Reads, lints and bundles the contract and stages the files of `generated/`; `files` resolves when all are staged. */
export function generate(root: string, { step, write }: Stage) {
  const source = step('read', [], () => readSource(root))
  const contract = step('bundle', [source], () => loadContract(root, source))
  // What the generators and the compiler would only fail on with messages of their own.
  const supported = step('supported', [contract], async () => {
    const [loaded, files] = await Promise.all([contract, source])
    const locate: LocatePath = (path) => locateInBundle(root, files, path)
    throwIfProblems([...nameProblems(loaded, locate), ...unsupported(loaded, locate)])
  })
  const emit = (name: string, files: (contract: Contract) => Files | Promise<Files>) =>
    step(name, [supported], async () => {
      for (const [file, text] of Object.entries(await files(await contract))) write(join('generated', file), text)
    })
  const files = Promise.all([
    emit('contract', (contract) => ({ 'contract.ts': emitContract(contract) })),
    emit('client', (contract) => ({ 'client/methods.ts': emitClient(withHovers(contract)) })),
    emit('bodies', (contract) => ({ 'bodies.ts': emitBodies(contract) })),
    emit('examples', (contract) => ({ 'examples.ts': emitExamples(contract) })),
    emit('handlers', (contract) => ({ 'service/bodies.ts': emitHandlerBodies(contract) })),
    emit('openapi', emitDocuments),
    emit('validators', emitValidators),
    emit('world', async (contract) => ({
      ...(await emitWorldCheck(contract)),
      'world.schema.json': emitWorldSchema(contract),
    })),
    emit('report schema', () => ({ 'report.schema.json': emitReportSchema() })),
    emit('types', (contract) => emitTypes(withHovers(contract))),
  ])
  const guides = step('guides', [supported], async (): Promise<FilledGuide[]> => {
    const before = new Map(
      readdirSync(join(root, GUIDES)).map((file) => [file, readFileSync(join(root, GUIDES, file), 'utf8')]),
    )
    const filled = Object.entries(await emitGuides(await contract, root))
    return filled.map(([name, after]) => {
      const file = join(GUIDES, name)
      write(file, after)
      return { file, before: before.get(name), after }
    })
  })
  // After the files, so that the compiler works beside the lint; one after the other, so that they need less memory.
  const spectral = step('spectral', [contract, Promise.allSettled([files])], async () =>
    throwIfProblems(await lintWithSpectral(root, await source, (await contract).document)),
  )
  step('prose', [contract], async () => throwIfProblems(lintProse(root, await contract)))
  step('workflows', [contract], async () => throwIfProblems(lintWorkflows(root, (await contract).register)))
  step('redocly', [spectral], async () => throwIfProblems(await lintWithRedocly(root)))
  return { source, contract, files, guides }
}
