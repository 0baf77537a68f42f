import { Command } from 'commander'
import type { Client } from '../../../client/index.js'
import type { PagedOperation } from '../../../client/pages.js'
import { integerArgument } from '../arguments.js'
import { EXIT, exitOf } from '../exit.js'
import { withoutControls } from '../text.js'
import { failed, openClient, printJson, type ServiceFlags, withService } from './connection.js'

interface ListFlags extends ServiceFlags {
  limit?: number
}

/** `workflow-automation whoami`: the workspace of the key. */
export const whoamiCommand = (): Command =>
  withService(new Command('whoami').description('Show the workspace that the key belongs to.'))
    .exitOverride(exitOf)
    .action(async (flags: ServiceFlags) => {
      process.exitCode = await reading(async () => {
        const workspace = await openClient(flags).getCurrentWorkspace()
        if (flags.json) return printJson(workspace)
        const rows = Object.entries(workspace).map(([name, value]) => [`${name}:`, withoutControls(value)])
        process.stdout.write(flags.quiet ? `${workspace.id ?? ''}\n` : tableOf(rows))
      })
    })

/** `workflow-automation playbooks` and `providers`: a list, all pages of it. */
export const listCommand = (name: string, operation: PagedOperation): Command =>
  withService(new Command(name).description(`List all ${name} of the workspace.`))
    .option('--limit <number>', 'maximum number to show', integerArgument(1))
    .exitOverride(exitOf)
    .action(async (flags: ListFlags) => {
      process.exitCode = await reading(async () => {
        const { data, meta } = await listOf(openClient(flags), operation, flags.limit)
        if (flags.json) return printJson({ data, meta })
        const rows = data.map(({ id, name: title, ...more }) => [
          withoutControls(id),
          withoutControls(title),
          withoutControls((more as { description?: unknown }).description),
        ])
        process.stdout.write(flags.quiet ? rows.map(([id]) => `${id}\n`).join('') : tableOf(rows))
      })
    })

/** The items of all pages, up to a limit, and the `meta` of the last page that was read. */
export async function listOf(client: Client, operation: PagedOperation, limit = Infinity) {
  const data: { id?: string; name?: string }[] = []
  let meta: unknown
  for await (const page of client.paginate.pages(operation)) {
    meta = page.meta
    data.push(...page.data)
    if (data.length >= limit) break
  }
  return { data: data.slice(0, limit), meta }
}

async function reading(read: () => Promise<void>): Promise<number> {
  try {
    await read()
    return EXIT.done
  } catch (error) {
    return failed(error)
  }
}

/** Rows in columns; on a terminal no line is longer than it. */
function tableOf(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const width = process.stdout.isTTY ? process.stdout.columns - 1 : Infinity
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .map((line) => `${line.length > width ? `${line.slice(0, width - 1)}…` : line}\n`)
    .join('')
}
