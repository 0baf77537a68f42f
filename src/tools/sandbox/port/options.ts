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
import { canonicalHost, isOrigin } from './access.js'

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
  /**
   * Origins of pages that may control the sandbox and create worlds, besides the sandbox's own: exact ones, or with any port,
   * such as `http://localhost:*`. Default none.
   */
  allowedOrigins?: readonly string[] | undefined
  /** Whether to serve only worlds, not the sandbox itself; default false. */
  requireWorld?: boolean | undefined
  /** Whether worlds are only created by `PUT` with the control token, not by their first request; default false. */
  requireTokenForWorlds?: boolean | undefined
  /**
   * The maximum number of worlds; the least recently used is dropped first. A page whose origin is not allowed drops only
   * worlds that such pages created. Default 200.
   */
  maxWorlds?: number | undefined
  /** After how long without a request a world is dropped, in ms; default 3,600,000, one hour. */
  worldTimeout?: number | undefined
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
  allowedOrigins: [],
  requireWorld: false,
  requireTokenForWorlds: false,
  host: '127.0.0.1',
  maxWorlds: 200,
  worldTimeout: 3_600_000,
} as const satisfies ListenOptions

const LISTEN_RULES: OptionRules<ListenOptions> = {
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
  allowedOrigins: rule(
    (value) => Array.isArray(value) && value.every(isOrigin),
    'a list of origins, such as https://dev.example or http://localhost:*',
  ),
  requireWorld: TRUE_OR_FALSE,
  requireTokenForWorlds: TRUE_OR_FALSE,
  maxWorlds: integer(1),
  worldTimeout: integer(1),
  onRequest: FUNCTION,
}

/** The names of the options. */
export const LISTEN_OPTIONS = Object.keys(LISTEN_RULES) as (keyof ListenOptions)[]

/** The options with their defaults. @throws TypeError that names every invalid option */
export function listenOptionsOf(options: ListenOptions) {
  throwIfProblems('listen', optionProblems(options, LISTEN_RULES))
  return withDefaults(LISTEN_DEFAULTS, options)
}
