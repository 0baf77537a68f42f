import type { Sandbox } from '../src/tools/sandbox/index.js'

// What the scripts of the page have instead of the browser's own: esbuild puts these in (see scripts/emit/docs/scripts.ts).

let sandbox: Sandbox | undefined

/** Makes a sandbox the network of all that runs in this script. */
export function connect(to: Sandbox): void {
  sandbox = to
}

const sandboxFetch: typeof globalThis.fetch = async (input, init) => {
  if (!sandbox) throw new TypeError('No sandbox is connected.')
  return sandbox.fetch(input, init)
}

export { sandboxFetch as fetch, sandboxFetch }

/** A minute of waiting takes a second. */
const SPEED = 60

export const setTimeout = (run: () => void, ms = 0): unknown => globalThis.setTimeout(run, ms / SPEED)

export const performance = { now: (): number => Math.round(globalThis.performance.now() * SPEED) }

export const process = { env: { WORKFLOW_API_KEY: 'wk_example' } }
