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
   * that it reserved, `none` takes what there is and reserves nothing.
   */
  queue: 'new' | 'due' | 'none'
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

export interface ScriptReply {
  /** How many requests may be sent now. */
  granted: number
  /** When to ask for the others; 0 when all were granted. */
  wait: number
  /** How many tokens are left. */
  tokens: number
}

/** The longest pause, in ms: a day. */
export const LONGEST_PAUSE = 86_400_000

/** How late a process may come to the time that it reserved, in ms: a message to Redis and a busy event loop. */
export const LATE = 250

/** Processes that begin within this time share a burst, in ms: those of a deployment start one after another. */
const START = 500

/** How far below zero the bucket goes, in ms of its rate: so long it takes until every process noticed that Redis is back. */
const DEBT = 1_000

/** The rounding error that repeated addition of fractions may cause. */
const ROUNDING = 1e-6

/**
 * A token bucket, the twin of `src/internal/token-bucket.ts`, with a queue of processes and a pause. The state is as of
 * `at`, the server's time in ms:
 *
 * - `tokens`: below 0 when processes used more than there was while they could not reach Redis
 * - `queue`: ms until the first time that is not reserved
 * - `pause`: ms until requests may be sent again; nothing refills before
 *
 * Tokens decide how much is sent, the queue only who is next. A process that is not served reserves a time, one interval of
 * the rate after the last one, and takes its token when it comes back: what a process that dies has reserved stays in the
 * bucket. A new process takes it when the queue is empty, or when there is more than those who come late leave.
 *
 * Of a burst a new process takes the part that `processes` gives it, and comes for more when the others had time to take
 * theirs. In the queue it gets one token, or an equal part of what nobody took.
 *
 * Only differences of the server's time count, and none is longer than the caller's own clock confirms, so a server
 * whose clock jumps grants no second burst. A queue or pause of more than a day was written by something else: none.
 */
// With a type, so that the declarations do not repeat it.
export const SCRIPT: string = `
local rate, burst, wanted, place, processes, elapsed, spent, penalty, initial, keep = unpack(ARGV)
rate, burst, wanted, penalty = tonumber(rate), tonumber(burst), tonumber(wanted), tonumber(penalty)
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local function read(field) return tonumber(redis.call('HGET', KEYS[1], field)) or 0 end

local passed = math.max(0, math.min(now - read('at'), tonumber(elapsed)))
local queue, pause, tokens = read('queue'), read('pause'), read('tokens')
if redis.call('HGET', KEYS[1], 'at') then
  tokens = math.min(burst, tokens + math.max(0, passed - pause) * rate)
else
  tokens, spent = tonumber(initial), math.max(0, spent)
end
queue, pause = math.max(0, queue - passed), math.max(0, pause - passed)
if queue > ${LONGEST_PAUSE} then queue = 0 end
if pause > ${LONGEST_PAUSE} then pause = 0 end
tokens = math.min(burst, math.max(tokens - spent, -${DEBT} * rate))
if penalty > 0 then
  pause = math.max(pause, penalty)
  tokens = 1
end

local granted, wait = 0, 0
local available = math.floor(tokens + ${ROUNDING})
local isPlenty = tokens >= 2 + ${LATE} * rate
if pause == 0 and available > 0 then
  if place == 'due' then
    granted = math.max(isPlenty and 2 or 1, math.floor(available / math.max(1, queue * rate)))
  elseif place == 'none' then
    granted = available
  elseif queue == 0 or isPlenty then
    granted = math.max(1, math.floor(burst / processes))
  end
end
granted = math.min(granted, wanted, math.max(0, available))
tokens = tokens - granted
if granted < wanted then
  wait = pause + math.max(0, 1 - tokens) / rate
  if place ~= 'none' then
    if place == 'new' and granted > 0 and tokens >= 1 then wait = ${START} end
    wait = math.max(wait, queue)
    queue = wait + 1 / rate
  end
end

redis.call('HSET', KEYS[1], 'at', now, 'tokens', tokens, 'queue', queue, 'pause', pause)
redis.call('PEXPIRE', KEYS[1], math.ceil(math.max((burst - tokens) / rate + pause, queue) + keep))
return {granted, math.ceil(wait), math.max(0, math.floor(tokens + ${ROUNDING}))}
`

/** The SHA-1 of the script, by which the server knows it; written here so that no runtime has to compute it. */
export const SCRIPT_SHA = '4f8093121b58fb87f0238af0d8025a1031647095'

/**
 * Runs the script, by its SHA-1 where the server has it.
 *
 * @throws what `send` throws, and an Error when the reply is not the script's
 */
export async function runScript(send: SendCommand, key: string, input: ScriptInput): Promise<ScriptReply> {
  const { rate, burst, wanted, queue, processes, elapsed, spent, pause, initial, keep } = input
  const args = [rate, burst, wanted, queue, processes, elapsed, spent, pause, initial, keep].map(String)
  let reply: unknown
  try {
    reply = await send(['EVALSHA', SCRIPT_SHA, '1', key, ...args])
  } catch (error) {
    // What Redis reports when it does not have the script, as after a restart; valkey-glide makes it NoScriptError.
    if (!/NOSCRIPT/i.test(String(error))) throw error
    reply = await send(['EVAL', SCRIPT, '1', key, ...args])
  }
  const [granted = NaN, wait = NaN, tokens = 0] = Array.isArray(reply) ? reply.map(Number) : []
  const isReply = granted >= 0 && granted <= wanted && wait >= 0 && wait < Infinity && (granted === wanted || wait > 0)
  if (!isReply) throw new Error('Redis sent a reply that is not of the rate limit script.')
  return { granted, wait, tokens }
}
