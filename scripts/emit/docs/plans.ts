import type { Contract, Json } from '../../contract/index.js'
import { escapeHtml, table } from './html.js'
import { basisLink } from './links.js'

/** The plans of the contract as a table. */
export function planTable({ document, register }: Contract): string {
  const figure = (value: number | undefined) => (value === undefined ? 'none' : String(value))
  return table(
    ['Plan', 'API access', 'Requests per minute', 'Burst', 'Basis'],
    Object.values<Json>(document['x-plans'] ?? {}).map((plan) => ({
      cells: [
        escapeHtml(plan.name),
        plan.apiAccess ? 'yes' : 'no',
        figure(plan.requestsPerMinute),
        figure(plan.burst),
        plan['x-basis'].map((id: string) => `<a href="${basisLink(register, id)}">${id}</a>`).join(', '),
      ],
    })),
    'plans',
  )
}

/** The operations whose answers may be kept, and for how long. */
export function cacheTable({ operations }: Contract): string {
  return table(
    ['Operation', 'Request', 'Kept for'],
    operations
      .filter(({ node }) => node['x-cache-seconds'])
      .map(({ id, method, path, node }) => ({
        cells: [`<code>${id}</code>`, `<code>${method} ${path}</code>`, `${node['x-cache-seconds']} s`],
      })),
    'plans',
  )
}
