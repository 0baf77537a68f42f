import { join } from 'node:path'
import { bundle, createConfig } from '@redocly/openapi-core'
import { throwIfProblems } from '../diagnostics.js'
import { decorate } from './decorate.js'
import { type Contract, indexContract } from './index.js'
import { ENTRY } from './source.js'

/** Bundles the contract of a project into one document, decorates and indexes it. */
export async function loadContract(root: string): Promise<Contract> {
  const config = await createConfig({ extends: ['minimal'] })
  const { bundle: bundled, problems } = await bundle({ ref: join(root, ENTRY), config })
  throwIfProblems(problems.map(({ message, ruleId }) => ({ file: ENTRY, rule: ruleId, message })))
  return indexContract(decorate(bundled.parsed))
}
