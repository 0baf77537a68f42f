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
