import type { OperationId } from '../../../../generated/contract.js'
import { rules } from '../../../../generated/contract.js'
import type { ProviderList } from '../../../../generated/types.js'
import { successBasis } from './contract.js'
import { failedIf, passed, quote, type Result, resultOf, text } from './result.js'

interface SeenBefore {
  /** The body of the last success of each operation. */
  bodies: Partial<Record<OperationId, unknown>>
  capabilities: ReadonlySet<string>
}

/** What responses of several operations show together. Basis: S01, A04. */
export function acrossResults({ bodies, capabilities }: SeenBefore): Result[] {
  const { getCurrentWorkspace, listPlaybooks, listProviders, getRun, triggerRun } = bodies
  const isOffered = getCurrentWorkspace && listPlaybooks && listProviders && (getRun || triggerRun)
  const results = isOffered
    ? [passed(rules.offersResources, 'workspace, playbooks, runs and providers are all offered')]
    : []
  results.push(...sameItems(listPlaybooks, listProviders))
  const providers = listProviders as ProviderList | undefined
  if (!providers || providers.data.length < providers.meta.total) return results
  const ids = new Set(providers.data.flatMap((each) => Object(each).id ?? []))
  if (ids.size === 0) return results
  const shown = [...ids].slice(0, SHOWN)
  return [
    ...results,
    ...[...capabilities].map((capability) => {
      const isNamed = ids.has(capability.split('.')[0] ?? '')
      const fact = text`the capability ${quote(capability)} ${isNamed ? 'names a' : 'named no'} provider`
      return resultOf(rules.capabilityNamesProvider, isNamed, text`${fact}; these are: ${quote(shown)}`, { fact })
    }),
  ]
}

/** A report cuts values: each message with all ids of a long list would take most of the time. */
const SHOWN = 40

/** A list whose items are all those of another one is that list. Basis: S17, S20. */
function sameItems(playbooks: unknown, providers: unknown): Result[] {
  const [theirs, own] = [playbooks, providers].map((body) => {
    const { data } = Object(body) as { data?: unknown }
    return Array.isArray(data) ? data.map((item) => JSON.stringify(item)) : []
  })
  const known = new Set(theirs)
  const isSame = own !== undefined && own.length > 0 && own.every((item) => item !== '{}' && known.has(item))
  const message = text`listProviders: expected providers, got ${own?.length ?? 0} items of listPlaybooks`
  return failedIf(isSame, successBasis('listProviders'), message, { pointer: '/data', keyword: 'same-items' })
}
