import { rules } from '../../../../generated/conformance/nodes.js'
import type { OperationId } from '../../../../generated/operations.js'
import type { ProviderList } from '../../../../generated/types.js'
import { passed, quote, type Result, resultOf, text } from './result.js'

interface Seen {
  /** The body of the last success of each operation. */
  bodies: Partial<Record<OperationId, unknown>>
  capabilities: ReadonlySet<string>
}

/** What responses of several operations show together. Basis: S01, A04. */
export function acrossResults({ bodies, capabilities }: Seen): Result[] {
  const { getCurrentWorkspace, listPlaybooks, listProviders, getRun, triggerRun } = bodies
  const isOffered = getCurrentWorkspace && listPlaybooks && listProviders && (getRun || triggerRun)
  const results = isOffered
    ? [passed(rules.offersResources, 'workspace, playbooks, runs and providers are all offered')]
    : []
  const providers = listProviders as ProviderList | undefined
  if (!providers || providers.data.length < providers.meta.total) return results
  const ids = providers.data.flatMap(({ id }) => (id === undefined ? [] : [id]))
  if (ids.length === 0) return results
  return [
    ...results,
    ...[...capabilities].map((capability) => {
      const isNamed = ids.includes(capability.split('.')[0] ?? '')
      const fact = text`the capability ${quote(capability)} ${isNamed ? 'names a' : 'named no'} provider`
      return resultOf(rules.capabilityNamesProvider, isNamed, text`${fact}; these are: ${quote(ids)}`, { fact })
    }),
  ]
}
