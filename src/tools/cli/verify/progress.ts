import type { ConformanceProgress } from '../../conformance/index.js'
import { err } from '../screen.js'

/** Shows the progress: on a terminal in one line that changes, else the plan and long waits only, once each. */
export function createCheckProgress(quiet: boolean): { show(progress: ConformanceProgress): void; end(): void } {
  let check = ''
  const loggedReasons = new Set<string>()
  return {
    show(progress) {
      if (quiet) return
      if (progress.type === 'plan') {
        err.line(
          `Checking ${progress.baseUrl} with about ${progress.requests} requests, at most ${progress.maxRequests}, in ${timeOf(progress.duration)}.`,
        )
        for (const warning of progress.warnings) err.line(warning)
      } else if (progress.type === 'check') {
        check = `${progress.number}/${progress.of} ${progress.name}`
        if (err.isLive) err.status(check)
      } else if (err.isLive) err.status(`${check}: waiting ${Math.ceil(progress.ms / 1000)} s ${progress.reason}`)
      else if (progress.ms >= LONG && !loggedReasons.has(progress.reason)) {
        loggedReasons.add(progress.reason)
        err.line(`Waiting ${Math.ceil(progress.ms / 1000)} s ${progress.reason}.`)
      }
    },
    end() {
      if (err.isLive && !quiet) err.status('')
    },
  }
}

const timeOf = (ms: number): string => {
  if (ms === 0) return 'a few seconds'
  return ms < 2 * 60_000 ? `about ${Math.ceil(ms / 1_000)} s` : `about ${Math.round(ms / 60_000)} minutes`
}

/** The shortest wait that is logged, in ms. */
const LONG = 5_000
