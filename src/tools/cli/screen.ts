import stringWidth from 'string-width'
import { clean, escapeHidden } from '../../internal/clean.js'

/** One of the two streams of the command. Nothing else writes to them, so that no text of a service reaches a terminal raw. */
export interface Output {
  /** Whether lines can be redrawn: on a terminal with a known size that wants it. */
  readonly isLive: boolean
  /** Whether text may be coloured. */
  readonly colour: boolean
  /** The columns of the terminal; `Infinity` without a terminal, or with one of unknown width. */
  readonly width: number
  /** Why something could not be written; nothing is written after it. */
  readonly lost: NodeJS.ErrnoException | undefined
  /** Whether it could not because the reader, such as `head`, has left. */
  readonly readerLeft: boolean
  /** Calls back when something cannot be written, or could not. */
  onLost(react: () => void): void
  line(text: unknown): void
  /** Each value on a line, such as ids. */
  lines(values: readonly unknown[]): void
  /** A text of several lines, whose colours stay if there are any. */
  block(text: string): void
  /** One JSON document. */
  json(value: unknown): void
  /** Rows in columns; on a terminal no line is longer than it. */
  table(rows: readonly (readonly unknown[])[]): void
  /** Replaces the lines that were drawn before; only if `isLive`. */
  redraw(lines: readonly string[]): void
  /** Replaces the line below everything else; an empty one removes it. Only if `isLive`. */
  status(text: string): void
  /** Resolves when everything was written, or could not be. */
  flushed(): Promise<void>
}

function createOutput(stream: NodeJS.WriteStream): Output {
  let lost: NodeJS.ErrnoException | undefined
  let drawn = 0
  let hasStatus = false
  const reactions: (() => void)[] = []
  const lose = (error: NodeJS.ErrnoException) => {
    if (lost) return
    lost = error
    for (const react of reactions) react()
  }
  stream.on('error', lose)
  const write = (text: string) => {
    if (lost) return
    try {
      stream.write(hasStatus ? ERASE_LINE + text : text)
    } catch (error) {
      lose(error as NodeJS.ErrnoException)
    }
    hasStatus = false
  }
  const columns = () => (stream.isTTY && stream.columns > 0 ? stream.columns : Number.POSITIVE_INFINITY)
  const { env } = process
  const output: Output = {
    get isLive() {
      const hasSize = columns() !== Number.POSITIVE_INFINITY && stream.rows > 0
      return hasSize && env.TERM !== 'dumb' && !env.NO_COLOR && (!env.CI || env.CI === 'false' || env.CI === '0')
    },
    // As https://no-color.org and https://force-color.org say.
    get colour() {
      if (env.NO_COLOR) return false
      return env.FORCE_COLOR ? env.FORCE_COLOR !== '0' : stream.isTTY === true && env.TERM !== 'dumb'
    },
    get width() {
      return columns()
    },
    get lost() {
      return lost
    },
    get readerLeft() {
      return lost !== undefined && READER_LEFT.has(lost.code ?? '')
    },
    onLost(react) {
      if (lost) react()
      else reactions.push(react)
    },
    line: (text) => write(`${clean(text)}\n`),
    lines: (values) => write(values.map((value) => `${clean(value)}\n`).join('')),
    block(text) {
      const parts = text.split(COLOUR).map((part, at) => (at % 2 === 0 ? escapeHidden(part) : part))
      write(output.colour ? parts.join('') : parts.filter((_, at) => at % 2 === 0).join(''))
    },
    json: (value) => write(jsonOf(value)),
    table(rows) {
      const cells = rows.map((row) => row.map(clean))
      const widths: number[] = []
      for (const row of cells)
        for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, widthOf(cell))
      const padded = cells.map((row) =>
        row.map((cell, at) => cell + ' '.repeat((widths[at] ?? 0) - widthOf(cell))).join('  '),
      )
      write(padded.map((line) => `${cut(line.trimEnd(), columns() - 1)}\n`).join(''))
    },
    redraw(lines) {
      // More lines than the terminal has cannot be redrawn: the first one is, which says how it stands, and the last ones.
      const [first = '', ...rest] = lines
      const fitting = Math.max(0, stream.rows - 2)
      const visible = [first, ...(fitting > 0 ? rest.slice(-fitting) : [])]
        // A line that wraps would be counted wrong.
        .map((line) => cut(clean(line), columns() - 1))
      const up = drawn > 0 ? `\u001b[${drawn}A` : ''
      write(`${up}${visible.map((line) => `\u001b[2K${line}\n`).join('')}\u001b[J`)
      drawn = visible.length
    },
    status(text) {
      write(cut(clean(text), columns() - 1))
      hasStatus = text !== ''
    },
    flushed: () =>
      new Promise((resolve) => {
        const done = (error?: Error | null) => {
          if (error) lose(error)
          resolve()
        }
        if (lost) done()
        else stream.write('', done)
      }),
  }
  return output
}

/** The text of a JSON document, in which hidden characters are escaped. */
export const jsonOf = (value: unknown): string => `${escapeHidden(JSON.stringify(value, null, 2))}\n`

const READER_LEFT = new Set(['EPIPE', 'EOF'])
const ERASE_LINE = '\r\u001b[K'
// biome-ignore lint/suspicious/noControlCharactersInRegex: that of a terminal
const COLOUR = /(\u001b\[\d+m)/
const segmenter = new Intl.Segmenter()

/** String widths take a thousand times longer than lengths. */
const widthOf = (text: string): number => (/^[ -~]*$/.test(text) ? text.length : stringWidth(text))

/** A line of at most so many columns. */
function cut(line: string, width: number): string {
  if (widthOf(line) <= width) return line
  let shown = ''
  let used = 1
  for (const { segment } of segmenter.segment(line)) {
    used += widthOf(segment)
    if (used > width) break
    shown += segment
  }
  return `${shown}…`
}

/** Standard output. */
export const out = createOutput(process.stdout)
/** Standard error. */
export const err = createOutput(process.stderr)
