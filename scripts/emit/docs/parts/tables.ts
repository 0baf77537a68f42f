import { type Contract, componentOf, type Json, jsonBody } from '../../../contract/index.js'
import { basisLink } from '../links.js'
import { defaultRows } from './defaults.js'
import { toolRows } from './other-languages.js'

/** The generated tables of the guides, by the title of the link that stands for them. */
export const TABLES: Readonly<Record<string, (contract: Contract, root: string) => string>> = {
  plans: planTable,
  cached: cacheTable,
  examples: exampleTable,
  defaults: () => markdownTable(['Option', 'Default', 'For'], defaultRows()),
  tools: (_, root) => markdownTable(['Tool', 'File', 'Command'], toolRows(root)),
}

function planTable({ document }: Contract): string {
  const rows = Object.values<Json>(document['x-plans'] ?? {}).map((plan) => [
    plan.name,
    plan.apiAccess ? 'yes' : 'no',
    plan.requestsPerMinute ?? 'none',
    plan.burst ?? 'none',
    plan['x-basis'].map((id: string) => `[${id}](${basisLink(id)})`).join(', '),
  ])
  return markdownTable(['Plan', 'API access', 'Requests per minute', 'Burst', 'Basis'], rows)
}

/** The operations whose responses may be kept, and for how long. */
function cacheTable({ operations }: Contract): string {
  const rows = operations
    .filter(({ node }) => node['x-cache-seconds'])
    .map(({ id, method, path, node }) => [`\`${id}\``, `\`${method} ${path}\``, `${node['x-cache-seconds']} s`])
  return markdownTable(['Operation', 'Request', 'Kept for'], rows)
}

/** The named examples of the responses: what to ask the mock for, and what each shows. */
function exampleTable({ document, operations }: Contract): string {
  const users = new Map<string, string[]>()
  for (const { id, responses } of operations)
    for (const [status, response] of responses.filter(([status]) => !isRange(status)))
      for (const [name, example] of Object.entries<Json>(jsonBody(response)?.examples ?? {})) {
        const { summary = name } = document.components.examples[componentOf(example) ?? ''] ?? example
        const cells = `\`code=${status}, example=${name}\` | ${summary}`
        users.set(cells, [...(users.get(cells) ?? []), `\`${id}\``])
      }
  const rows = [...users].sort(([one], [other]) => one.localeCompare(other))
  return markdownTable(
    ['`Prefer`', 'What it shows', 'Operations'],
    rows.map(([cells, ids]) => [cells, ids.length === operations.length ? 'all' : ids.join(', ')]),
  )
}

/** Whether it stands for several statuses, as 2XX does, which no header can ask for. */
const isRange = (status: string): boolean => !/^\d{3}$/.test(status)

const markdownTable = (columns: string[], rows: unknown[][]): string =>
  [columns, columns.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
