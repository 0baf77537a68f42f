import { type Contract, componentOf, type Json, jsonBody } from '../../contract/index.js'
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

/** The named examples of the responses: what to ask the mock for, and what each shows. */
export function exampleTable({ document, operations }: Contract): string {
  const rows = new Map<string, string[]>()
  for (const { id, responses } of operations)
    for (const [status, response] of responses)
      for (const [name, example] of Object.entries<Json>(jsonBody(response)?.examples ?? {})) {
        const { summary = name } = document.components.examples[componentOf(example) ?? ''] ?? example
        const key = `\`code=${status}, example=${name}\` | ${summary}`
        rows.set(key, [...(rows.get(key) ?? []), `\`${id}\``])
      }
  return markdownTable(
    ['`Prefer`', 'What it shows', 'Operations'],
    [...rows]
      .sort(([one], [other]) => one.localeCompare(other))
      .map(([key, ids]) => [key, ids.length === operations.length ? 'all' : ids.join(', ')]),
  )
}

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
