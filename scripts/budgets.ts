import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { DECLARATIONS, entriesOf } from './emit/dist.js'
import { pack } from './pack.js'
import type { Diagnostic } from './support/diagnostics.js'
import { exportsOf } from './support/surface.js'

type Group = 'bytes' | 'exports'

/** The figures by group and name, such as the bytes of the tarball. */
export type Measured = Record<Group, Record<string, number>>

/** The budgets as they are written. The group `tests` is read by tests, and measured by them. */
export type Budgets = Partial<Record<Group | 'tests', Record<string, number>>>

const FILE = 'budgets.json'

interface GroupRule {
  /** The counted things, in words. */
  what: (name: string) => string
  /** The advice when it has grown. */
  advice: string
  /** How much more than there is a budget allows when it is written. */
  room: number
}

/** Bytes have room, so that a field more breaks nothing. Exports have none, because each is a promise. */
const GROUPS: Record<Group, GroupRule> = {
  bytes: { what: (name) => `The bytes of the ${name}`, advice: 'Take something out', room: 1.1 },
  exports: { what: (name) => `The number of exported ${name}`, advice: 'Export less', room: 1 },
}

const GROUP_NAMES = Object.keys(GROUPS) as Group[]

export const budgetsOf = (root: string): Budgets =>
  existsSync(join(root, FILE)) ? JSON.parse(readFileSync(join(root, FILE), 'utf8')) : {}

/** Measures what there is: the sources of a project, and its package as it is compiled in a stage. */
export async function measure(root: string, stage: string): Promise<Measured> {
  return {
    bytes: { ...(await bundles(root)), ...(await tarball(root, stage)) },
    exports: exported(root, join(stage, DECLARATIONS)),
  }
}

/** Figures beyond their budgets, each as a sentence with both figures and what to do. */
export const budgetProblems = (budgets: Budgets, figures: Measured): Diagnostic[] =>
  GROUP_NAMES.flatMap((group) =>
    Object.entries(figures[group]).flatMap(([name, figure]) => {
      const most = budgets[group]?.[name] ?? 0
      if (figure <= most) return []
      const { what, advice } = GROUPS[group]
      const raise =
        'or raise the budget in this commit with "npm run check -- --write-budgets", and say why in its message'
      const message = `${what(name)} grew to ${thousands(figure)}, and ${FILE} allows ${thousands(most)}. ${advice}, ${raise}.`
      return { file: FILE, rule: 'budget', message }
    }),
  )

/** Sets the budgets to what there is, with room. Those of tests stay. */
export function writeBudgets(root: string, figures: Measured): void {
  const budgets: Budgets = {}
  for (const group of GROUP_NAMES) {
    const withRoom = (figure: number) => Math.ceil(figure * GROUPS[group].room)
    budgets[group] = Object.fromEntries(Object.entries(figures[group]).map(([name, each]) => [name, withRoom(each)]))
  }
  budgets.tests = budgetsOf(root).tests ?? {}
  writeFileSync(join(root, FILE), `${JSON.stringify(budgets, null, 2)}\n`)
}

/** The figures beside their budgets. */
export const figuresText = (budgets: Budgets, figures: Measured): string =>
  GROUP_NAMES.flatMap((group) =>
    Object.entries(figures[group]).map(([name, figure]) => {
      const most = thousands(budgets[group]?.[name] ?? 0)
      return `${group.padEnd(8)} ${name.padEnd(34)} ${thousands(figure).padStart(9)} of ${most.padStart(9)}`
    }),
  ).join('\n')

const thousands = (figure: number): string => figure.toLocaleString('en')

/** Bundles, minified and compressed. */
async function bundles(root: string): Promise<Record<string, number>> {
  const size = async (contents: string) => {
    const { outputFiles } = await build({
      stdin: { contents, resolveDir: root },
      bundle: true,
      minify: true,
      format: 'esm',
      platform: 'browser',
      write: false,
    })
    return gzipSync(outputFiles[0]?.contents ?? '', { level: 9 }).length
  }
  return {
    "client's bundle": await size("export { createClient } from './src/index.js'"),
    "limiter's bundle": await size("export * from './src/tools/redis/index.js'"),
  }
}

/** The sizes of the tarball and of the sandbox's page in it. The files that no build makes are copied to the stage. */
async function tarball(root: string, stage: string): Promise<Record<string, number>> {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  for (const file of ['package.json', 'README.md', 'LICENSE', ...manifest.files])
    if (existsSync(join(root, file)) && !existsSync(join(stage, file)))
      cpSync(join(root, file), join(stage, file), { recursive: true })
  const { size, unpackedSize } = await pack(stage, stage, { dryRun: true })
  const page = ['index.html', 'console.js', 'styles.css'].map((file) =>
    readFileSync(join(stage, 'dist/src/tools/console', file)),
  )
  return {
    tarball: size,
    'unpacked tarball': unpackedSize,
    "sandbox's page": gzipSync(Buffer.concat(page)).length,
  }
}

/** Values and types by entry, without those that there are more of with each schema of the document. */
function exported(root: string, declarations: string): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const [entry, all] of Object.entries(exportsOf(declarations, entriesOf(root)))) {
    const fixed = all.filter(({ isOfDocument }) => !isOfDocument)
    const values = fixed.filter(({ isValue }) => isValue).length
    if (values > 0) counts[`values of ${entry}`] = values
    if (fixed.length > values) counts[`types of ${entry}`] = fixed.length - values
  }
  return counts
}
