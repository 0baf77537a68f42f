import type { Contract, Json } from '../../contract/index.js'
import { basisLink } from './links.js'

/** The plans of the contract as a Markdown table. */
export const planTable = ({ document, register }: Contract): string =>
  markdownTable(
    ['Plan', 'API access', 'Requests per minute', 'Burst', 'Basis'],
    Object.values<Json>(document['x-plans'] ?? {}).map((plan) => [
      plan.name,
      plan.apiAccess ? 'yes' : 'no',
      plan.requestsPerMinute ?? 'none',
      plan.burst ?? 'none',
      plan['x-basis'].map((id: string) => `[${id}](${basisLink(register, id)})`).join(', '),
    ]),
  )

/** The operations whose responses may be kept, and for how long. */
export const cacheTable = ({ operations }: Contract): string =>
  markdownTable(
    ['Operation', 'Request', 'Kept for'],
    operations
      .filter(({ node }) => node['x-cache-seconds'])
      .map(({ id, method, path, node }) => [`\`${id}\``, `\`${method} ${path}\``, `${node['x-cache-seconds']} s`]),
  )

const markdownTable = (columns: string[], rows: unknown[][]): string =>
  [columns, columns.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
