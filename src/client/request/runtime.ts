// Where the client runs: one sentence for each question, because what looks like a browser often is none.

/** The globals that tell runtimes apart. */
interface Globals {
  readonly process?: { readonly versions?: { readonly node?: string } }
  readonly navigator?: { readonly userAgent?: string }
}

const globals = globalThis as Globals

/** Whether each incoming request has a context of its own, with which all that it began ends. */
export const isWorkerd = (): boolean => globals.navigator?.userAgent === 'Cloudflare-Workers'

/**
 * Whether `fetch` is certainly a browser's, whose HTTP cache would reply to polls. Elsewhere the option `cache` does harm: Next
 * makes a static page dynamic by it, and old Workers refuse it. A document may be that of jsdom.
 */
export const isBrowser = (): boolean =>
  ('document' in globalThis || 'WorkerGlobalScope' in globalThis) &&
  !globals.process?.versions?.node &&
  !('Deno' in globalThis || 'Bun' in globalThis || isWorkerd())

/** The globals that every call needs, also with a `fetch` of the caller. */
const NEEDED = ['AbortController', 'Headers', 'TextDecoder', 'URL'] as const

/** @throws TypeError that names what a runtime, or the environment of a test, does not have */
export function throwIfGlobalMissing(): void {
  const missing = NEEDED.filter((name) => typeof globalThis[name] !== 'function')
  if (missing.length > 0) throw new TypeError(`There is no global ${missing.join(', ')}, which every call needs.`)
}
