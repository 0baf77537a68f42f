import type { Run } from '../../../../generated/types.js'
import { clean } from '../../../internal/clean.js'
import { out } from '../screen.js'

/** Shows a run while it is waited for. */
export interface Progress {
  update(run: Run): void
  /** Leaves the last state on the screen. */
  end(): void
}

/** On a terminal one line a step, redrawn in place; elsewhere one line for each change; with `silent` nothing. */
export function createRunProgress(id: string, silent: boolean): Progress {
  if (silent) return { update() {}, end() {} }
  if (out.isLive) return inPlace(id)
  let before: readonly string[] = []
  return {
    update(run) {
      const lines = linesOf(run, id)
      out.lines(lines.filter((line) => !before.includes(line)))
      before = lines
    },
    end() {},
  }
}

/** A line for the run and one for each step; a step without an id is shown as its JSON. */
export function linesOf(run: unknown, id: string): string[] {
  const { id: own = id, status, steps } = Object(run) as Record<string, unknown>
  return [
    `run ${clean(own)}  ${clean(status)}`.trimEnd(),
    ...(Array.isArray(steps) ? steps : []).map((step: unknown) => {
      const { id: name, status: state, capability } = Object(step) as Record<string, unknown>
      return `  ${name === undefined ? clean(JSON.stringify(step)) : [name, state, capability].map(clean).join('  ').trimEnd()}`
    }),
  ]
}

/** The API has no times of steps, so `~` marks the time since this command first saw a status. */
function inPlace(id: string): Progress {
  let since = new Map<string, number>()
  let last: Run | undefined
  const draw = () => {
    if (!last) return
    const now = performance.now()
    const lines = linesOf(last, id)
    since = new Map(lines.map((line) => [line, since.get(line) ?? now]))
    out.redraw(lines.map((line) => `${line}  ~${Math.round((now - (since.get(line) ?? now)) / 1_000)} s`))
  }
  const timer = setInterval(draw, 1_000).unref()
  return {
    update(run) {
      last = run
      draw()
    },
    end() {
      clearInterval(timer)
      draw()
    },
  }
}
