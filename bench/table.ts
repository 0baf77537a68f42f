/** Prints rows as a table with columns of fitting width. */
export function printTable(title: string, rows: Record<string, string | number>[]): void {
  const columns = Object.keys(rows[0] ?? {})
  const text = (value: string | number | undefined) =>
    typeof value === 'number' ? value.toLocaleString('en', { maximumFractionDigits: 2 }) : (value ?? '')
  const widths = columns.map((name) => Math.max(name.length, ...rows.map((row) => text(row[name]).length)))
  const line = (cells: string[]) => cells.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join('  ')
  process.stdout.write(`\n${title}\n\n${line(columns)}\n${widths.map((width) => '-'.repeat(width)).join('  ')}\n`)
  for (const row of rows) process.stdout.write(`${line(columns.map((name) => text(row[name])))}\n`)
}

/** The median. */
export const median = (values: number[]): number =>
  values.toSorted((one, other) => one - other)[values.length >> 1] ?? NaN

/** What was measured, the figure, and the most that it may be. */
export type Target = [name: string, value: number, most: number]

/** Prints whether each target is met. One that is missed sets the exit code. */
export function printTargets(targets: Target[]): void {
  process.stdout.write('\n')
  for (const [name, value, most] of targets) {
    if (!(value <= most)) process.exitCode = 1
    process.stdout.write(`${value <= most ? 'ok  ' : 'MISS'} ${name}, at most ${most}: ${value.toFixed(2)}\n`)
  }
}
