import {
  FUNCTION,
  integer,
  type OptionRules,
  optionProblems,
  rule,
  TRUE_OR_FALSE,
  throwIfProblems,
  withDefaults,
} from '../../../internal/options.js'
import { canonicalHost } from './access.js'

/** The options of a sandbox on a port. */
export interface ListenOptions {
  /** Default 0: any free port. */
  port?: number | undefined
  /** The address to listen on; default 127.0.0.1, which only this machine can reach. */
  host?: string | undefined
  /** Whether requests below `/__sandbox/` control the sandbox; default true. */
  control?: boolean | undefined
  /**
   * The token that such requests send as `Authorization: Bearer`; default none on a loopback address, and a random one
   * elsewhere.
   */
  controlToken?: string | undefined
  /** Host names that such requests may use, besides those of the loopback address and `host`. */
  allowedHosts?: readonly string[] | undefined
  /** Whether to serve only worlds, not the sandbox itself; default false. */
  requireWorld?: boolean | undefined
  /** The maximum number of worlds; the least recently used is dropped first. Default 200. */
  maxWorlds?: number | undefined
  /**
   * Receives each API request with its status. The path is unchanged, without its query. Errors are reported once as a
   * warning.
   */
  onRequest?: ((event: RequestEvent) => void) | undefined
}

/** A request after its response; `status` is undefined when the connection was dropped on purpose. */
export interface RequestEvent {
  method: string
  path: string
  status: number | undefined
  /** How long the response took, in ms. */
  duration: number
}

/** The options that have a default. */
export const LISTEN_DEFAULTS = {
  port: 0,
  control: true,
  allowedHosts: [],
  requireWorld: false,
  host: '127.0.0.1',
  maxWorlds: 200,
} as const satisfies ListenOptions

const RULES: OptionRules<ListenOptions> = {
  port: integer(0, 65_535),
  host: rule((value) => typeof value === 'string' && value !== '', 'an address or a name'),
  control: TRUE_OR_FALSE,
  controlToken: rule(
    (value) => typeof value === 'string' && /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(value),
    'visible ASCII text',
  ),
  allowedHosts: rule(
    (value) =>
      Array.isArray(value) && value.every((name) => typeof name === 'string' && canonicalHost(name) !== undefined),
    'a list of names or addresses, without scheme, port and wildcard, such as dev.example',
  ),
  requireWorld: TRUE_OR_FALSE,
  maxWorlds: integer(1),
  onRequest: FUNCTION,
}

/** The names of the options. */
export const LISTEN_OPTIONS = Object.keys(RULES) as (keyof ListenOptions)[]

/** The options with their defaults. @throws TypeError that names every invalid option */
export function listenOptionsOf(options: ListenOptions) {
  throwIfProblems('listen', optionProblems(options, RULES))
  return withDefaults(LISTEN_DEFAULTS, options)
}
