/** A Redis command with its arguments. */
export type RedisCommand = [name: string, ...args: string[]]

/** Sends a command to Redis or Valkey and resolves to its reply. */
export type SendCommand = (command: RedisCommand) => PromiseLike<unknown>

/** What a process sends to the script. Durations are in ms. */
export interface ScriptInput {
  /** Tokens per ms. */
  rate: number
  burst: number
  /** How many requests wait in the process. */
  wanted: number
  /**
   * Whether the process joins the queue: `new` asks and reserves a time when there is not enough, `due` comes at the time
   * that it reserved, `wait` says before that time that it still waits, `none` takes what there is and reserves nothing.
   */
  mode: 'new' | 'due' | 'wait' | 'none'
  /** The place that it had in the queue, which the reply named; 0 for none. With `none` it is given back. */
  place: number
  /** How long until the time that it reserved. */
  left: number
  /** How long the most patient of its callers waits: a time after that is not reserved. */
  patience: number
  /** How long ago the process began. */
  age: number
  /** How many processes a burst is for. */
  processes: number
  /** The most time that can have passed since the bucket was refilled, by the caller's monotonic clock. */
  elapsed: number
  /** Tokens that the process used without asking; below 0, tokens that it was granted and did not use. */
  spent: number
  /** Pauses the workspace for this long; 0 for no pause. */
  pause: number
  /** The tokens of a bucket that Redis does not have: it never had them, or lost them. */
  initial: number
  /** How long a full bucket is kept. */
  keep: number
}

/** The arguments of a process that asks for nothing and has no place in the queue. */
export const NO_REQUEST = {
  wanted: 0,
  mode: 'none',
  spent: 0,
  pause: 0,
  place: 0,
  left: 0,
  patience: 0,
  age: 0,
} as const

/** The reply. Durations are in ms. */
export interface ScriptReply {
  /** How many requests may be sent now. */
  granted: number
  /** How long until it may ask for the others; 0 when all were granted. */
  wait: number
  /** How many tokens are left. */
  tokens: number
  /** How long until it should report that it still waits, or ask for the others. */
  again: number
  /** Its place in the queue; 0 for none. */
  place: number
}

/** The arguments of the script, in this order; it reads them by name. */
export const ARGUMENTS = [
  'rate',
  'burst',
  'wanted',
  'mode',
  'processes',
  'elapsed',
  'spent',
  'pause',
  'initial',
  'keep',
  'place',
  'left',
  'patience',
  'age',
] as const satisfies readonly (keyof ScriptInput)[]

/** The longest pause, in ms: a day. */
export const LONGEST_PAUSE = 86_400_000

/** How late a process may come to the time that it reserved, in ms: a message to Redis and a busy event loop. */
export const ALLOWED_DELAY = 250
