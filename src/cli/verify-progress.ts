import type { ConformanceProgress } from '../conformance/index.js'
import { printable } from '../conformance/render/table.js'

interface Output {
  isTTY?: boolean
  columns?: number
  write(text: string): unknown
}

/** Shows how far the check is: on a terminal on one line that changes, else nothing but the plan and long waits, once each. */
export function createProgress(
  output: Output,
  quiet: boolean,
): { show(progress: ConformanceProgress): void; end(): void } {
  const live = output.isTTY === true && process.env.TERM !== 'dumb'
  let shown = ''
  const line = (text: string) => output.write(`${live && shown ? CLEAR : ''}${text}\n`)
  const status = (text: string) => {
    if (!live) return
    shown = printable(text).slice(0, (output.columns ?? 80) - 1)
    output.write(CLEAR + shown)
  }
  let check = ''
  const said = new Set<string>()
  return {
    show(progress) {
      if (quiet) return
      if (progress.type === 'plan') {
        line(
          `Checking ${printable(progress.baseUrl)}: ${progress.checks.length} checks with about ${progress.requests} requests, at most ${progress.maxRequests}.`,
        )
        for (const warning of progress.warnings) line(printable(warning))
      } else if (progress.type === 'check') {
        check = `${progress.number}/${progress.of} ${progress.name}`
        status(check)
      } else if (live) status(`${check}: waiting ${Math.ceil(progress.ms / 1000)} s ${progress.reason}`)
      else if (progress.ms >= LONG && !said.has(progress.reason)) {
        said.add(progress.reason)
        line(`Waiting ${Math.ceil(progress.ms / 1000)} s ${progress.reason}.`)
      }
    },
    end() {
      if (live && shown && !quiet) output.write(CLEAR)
      shown = ''
    },
  }
}

const CLEAR = '\r\u001b[K'
/** A wait that a reader of a log wants to know of, in ms. */
const LONG = 5_000
