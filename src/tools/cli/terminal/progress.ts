import type { Run } from '../../../../generated/types.js'
import { withoutControls } from '../text.js'

/** Shows a run while it is waited for. */
export interface Progress {
  update(run: Run): void
  /** Leaves the last state on the screen. */
  end(): void
}

/** On a terminal one line a step, redrawn in place; elsewhere one line for each change; with `silent` nothing. */
export function createRunProgress(silent: boolean): Progress {
  if (silent) return { update() {}, end() {} }
  const { stdout, env } = process
  const redraws = stdout.isTTY && env.TERM !== 'dumb' && !env.CI && !env.NO_COLOR
  return redraws ? inPlace() : byLine()
}

/** What is said of each step, and of the run. */
const linesOf = (run: Run): [id: string, text: string][] => [
  ['', `run ${withoutControls(run.id)}  ${withoutControls(run.status)}`],
  ...run.steps.map(({ id, status, capability }): [string, string] => [
    id,
    `  ${withoutControls(id)}  ${withoutControls(status)}${capability === undefined ? '' : `  ${withoutControls(capability)}`}`,
  ]),
]

function byLine(): Progress {
  const seen = new Map<string, string>()
  return {
    update(run) {
      for (const [id, text] of linesOf(run)) {
        if (seen.get(id) === text) continue
        seen.set(id, text)
        process.stdout.write(`${text}\n`)
      }
    },
    end() {},
  }
}

/** The API has no times of steps, so `~` marks the time since this command first saw a status. */
function inPlace(): Progress {
  const { stdout } = process
  const since = new Map<string, { text: string; at: number; ended?: number }>()
  let shown = 0
  let last: Run | undefined
  const draw = () => {
    if (!last) return
    const now = performance.now()
    const lines = linesOf(last).map(([id, text]) => {
      const own = since.get(id)
      const at = own?.text === text ? own.at : now
      since.set(id, { text, at })
      return `${text}  ~${Math.round((now - at) / 1_000)} s`
    })
    // A line that wraps would be counted wrong.
    const width = stdout.columns - 1
    const cut = lines.map((line) => (line.length > width ? `${line.slice(0, width - 1)}…` : line))
    // More lines than the terminal has cannot be redrawn: the last ones are.
    const visible = cut.slice(-Math.max(1, stdout.rows - 1))
    stdout.write(
      `${shown > 0 ? `\u001b[${shown}A` : ''}${visible.map((line) => `\u001b[2K${line}\n`).join('')}\u001b[J`,
    )
    shown = visible.length
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
