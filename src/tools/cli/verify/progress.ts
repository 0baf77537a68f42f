import type { ConformanceProgress } from '../../conformance/index.js'
import { printable } from '../../conformance/report/table.js'

interface Output {
  isTTY?: boolean
  columns?: number
  write(text: string): unknown
}

/** Shows the progress: on a terminal in one line that changes, else the plan and long waits only, once each. */
export function createCheckProgress(
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
  const loggedReasons = new Set<string>()
  return {
    show(progress) {
      if (quiet) return
      if (progress.type === 'plan') {
        line(
          `Checking ${printable(progress.baseUrl)} with about ${progress.requests} requests, at most ${progress.maxRequests}, in ${timeOf(progress.duration)} (seed ${progress.seed}).`,
        )
        for (const warning of progress.warnings) line(printable(warning))
      } else if (progress.type === 'check') {
        check = `${progress.number}/${progress.of} ${progress.name}`
        status(check)
      } else if (live) status(`${check}: waiting ${Math.ceil(progress.ms / 1000)} s ${progress.reason}`)
      else if (progress.ms >= LONG && !loggedReasons.has(progress.reason)) {
        loggedReasons.add(progress.reason)
        line(`Waiting ${Math.ceil(progress.ms / 1000)} s ${progress.reason}.`)
      }
    },
    end() {
      if (live && shown && !quiet) output.write(CLEAR)
      shown = ''
    },
  }
}

const timeOf = (ms: number): string => {
  if (ms === 0) return 'a few seconds'
  return ms < 2 * 60_000 ? `about ${Math.ceil(ms / 1_000)} s` : `about ${Math.round(ms / 60_000)} minutes`
}

const CLEAR = '\r\u001b[K'
/** The shortest wait that is logged, in ms. */
const LONG = 5_000
