import { Command } from 'commander'
import type { Client } from '../../../client/index.js'
import type { PagedOperation } from '../../../client/pages.js'
import { integerArgument } from '../arguments.js'
import { EXIT, perform } from '../exit.js'
import { err, out } from '../screen.js'
import { READING, reportFailure, type ServiceFlags, withClient, withService } from './connection.js'

interface ListFlags extends ServiceFlags {
  limit?: number
}

/** `workflow-automation whoami`: the workspace of the key. */
export const whoamiCommand = (): Command =>
  withService(new Command('whoami').description('Show the workspace that the key belongs to.'))
    .addHelpText('after', READING)
    .action((flags: ServiceFlags) =>
      perform(() =>
        withClient(flags, async (client) => {
          const workspace: unknown = await client.getCurrentWorkspace()
          if (flags.json) out.json(workspace)
          else if (flags.quiet) return printIds([workspace])
          else if (isObject(workspace)) out.table(Object.entries(workspace).map(([name, value]) => [`${name}:`, value]))
          else out.line(workspace)
          return EXIT.done
        }),
      ),
    )

/** `workflow-automation playbooks` and `providers`: a list, all pages of it. */
export const listCommand = (name: string, operation: PagedOperation): Command =>
  withService(new Command(name).description(`List all ${name} of the workspace.`))
    .option('--limit <number>', 'maximum number to show; default all', integerArgument(1))
    .addHelpText('after', READING)
    .action((flags: ListFlags) => perform(() => withClient(flags, (client) => printList(client, operation, flags))))

/** Prints what was received, also when a later page fails, and only then the reason. */
async function printList(client: Client, operation: PagedOperation, flags: ListFlags): Promise<number> {
  const { limit = Number.POSITIVE_INFINITY, json, quiet } = flags
  const data: unknown[] = []
  let meta: unknown
  let problem: { error: unknown } | undefined
  try {
    for await (const page of client.paginate.pages(operation)) {
      meta = page.meta
      for (const item of page.data) if (data.length < limit) data.push(item)
      if (data.length >= limit || out.lost) break
    }
  } catch (error) {
    if (meta === undefined) throw error
    problem = { error }
  }
  if (json) out.json({ data, meta, ...(problem && { incomplete: true }) })
  else if (!quiet) printItems(data)
  const code = quiet && !json ? printIds(data) : EXIT.done
  return problem ? reportFailure(problem.error, flags) : code
}

/** Id, name and description of each item in columns; an item without an id is printed as its JSON. */
function printItems(items: readonly unknown[]): void {
  const rows = items.map((item) => {
    if (!isObject(item) || !hasId(item)) return undefined
    const { id, name, description } = item
    return [id, name, description]
  })
  if (rows.every((row) => row !== undefined)) out.table(rows)
  else for (const [at, row] of rows.entries()) row ? out.table([row]) : out.line(JSON.stringify(items[at]))
}

/** The ids that there are, and the exit code. */
function printIds(items: readonly unknown[]): number {
  const withId = items.filter(isObject).filter(hasId)
  out.lines(withId.map(({ id }) => id))
  const missing = items.length - withId.length
  if (missing === 0) return EXIT.done
  err.line(`${missing} of ${items.length} have no id. They are shown without --quiet.`)
  return EXIT.notPossible
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null
const hasId = ({ id }: Record<string, unknown>): boolean => id !== undefined && id !== null && id !== ''
