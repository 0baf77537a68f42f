/** A Redis command with its arguments. */
export type RedisCommand = [name: string, ...args: string[]]

/** Sends a command to Redis or Valkey and resolves to its reply. */
export type SendCommand = (command: RedisCommand) => PromiseLike<unknown>

/**
 * When a process asks: at the time that it reserved (`reserved`), at the time to come back for more of a burst (`burst`), or
 * at any other.
 */
export type Due = 'reserved' | 'burst' | ''

/** What a process sends to the script. */
export interface ScriptInput {
  /** Tokens per ms. */
  rate: number
  burst: number
  processes: number
  /** The most time, in ms, that can have passed since the state was written, by the caller's monotonic clock. */
  elapsed: number
  /** How many requests wait in the process. */
  wanted: number
  due: Due
  /** Tokens that the process used without asking; below 0, tokens that it received and did not use. */
  spent: number
  /** Pauses the workspace for this long, in ms. */
  pause: number
}

export interface ScriptReply {
  /** How many requests may be sent now. */
  granted: number
  /** When to come back for the others, in ms from now. */
  wait: number
  /** How long the queue is with the time that was reserved, in ms; 0 when none was, and the process comes back for a burst. */
  round: number
}

/** The longest pause, in ms: a day. */
export const LONGEST_PAUSE = 86_400_000

/**
 * The state is a token bucket, the length of the queue and the rest of a pause, all as of `at` (the server's time, ms):
 *
 * - `tokens`: below 0 when processes used more than there was while they could not reach Redis
 * - `queue`: ms until the first time that is not yet reserved
 * - `pause`: ms until requests may be sent again; nothing refills before
 *
 * A queue or pause of more than a day was written by something else, and counts as none.
 *
 * Only differences of the server's time count, and none is longer than the caller's own clock confirms. So a server
 * whose clock jumps, or that lost its data, grants no second burst.
 *
 * Of a burst a process takes its part, and comes for more after 500 ms, so that those that begin a little later get
 * theirs; what is there then is for the processes that have come, as many as the missing tokens show. When little is left
 * it takes one token, and comes back so much sooner. A process that cannot be served reserves a time, and takes its token
 * when it comes back: what a process that dies or gives up leaves behind is used by others. Without a reservation a token
 * is taken only when nobody is in the queue, or when more are there than owners who are 250 ms late leave. Who comes too
 * early goes to the end of the queue, so that one delay does not make everybody early; without a burst everybody is, and
 * waits a little more.
 */
// With a type, so that the declarations do not repeat it.
export const SCRIPT: string = `
local rate, burst, processes, elapsed, wanted, due, spent, penalty = unpack(ARGV)
rate, burst, processes = tonumber(rate), tonumber(burst), tonumber(processes)
wanted, penalty = tonumber(wanted), tonumber(penalty)
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local function read(field) return tonumber(redis.call('HGET', KEYS[1], field)) or 0 end

local passed = math.max(0, math.min(now - read('at'), tonumber(elapsed)))
local pause = read('pause')
local tokens = read('tokens') + math.max(0, passed - pause) * rate
local queue = math.max(0, read('queue') - passed)
pause = math.max(0, pause - passed)
if pause > ${LONGEST_PAUSE} then pause = 0 end
if queue > ${LONGEST_PAUSE} then queue = 0 end
tokens = math.min(burst, math.max(math.min(burst, tokens) - spent, -1000 * rate))
if penalty > 0 then
  pause = math.max(pause, penalty)
  tokens = 1
end

local granted, wait, round = 0, 0, 0
local open = queue == 0 or tokens >= math.max(2, 1 + 250 * rate)
if pause == 0 and tokens >= 0.999999 and (due == 'reserved' or open) then
  local part = math.max(1, math.floor(burst / processes))
  local most = part
  if due == 'burst' then most = math.max(part, math.floor(tokens * part / math.max(part, burst - tokens))) end
  granted = math.min(wanted, tokens >= processes and math.min(most, math.floor(tokens)) or 1)
  tokens = tokens - granted
  if granted < wanted and tokens >= 1 and open then wait = 500 * math.min(1, granted / part) end
end
if granted == 0 and wanted > 0 and due == 'reserved' and burst < 2 and tokens > 0.5 then
  wait = pause + (1 - tokens) / rate
  round = math.max(queue, wait)
elseif granted < wanted and wait == 0 then
  wait = math.max(queue, pause + (1 - tokens) / rate)
  queue = wait + 1 / rate
  round = queue
end

redis.call('HSET', KEYS[1], 'at', now, 'tokens', tokens, 'queue', queue, 'pause', pause)
redis.call('PEXPIRE', KEYS[1], math.ceil(math.max((burst - tokens) / rate + pause, queue)) + 1000)
return {granted, math.ceil(wait), math.ceil(round)}
`

/** The SHA-1 of the script, by which the server knows it; written here so that no runtime has to compute it. */
export const SCRIPT_SHA = '66b06426fda4e0dd94e90d0039ec64a59c75bdd5'

/**
 * Runs the script, by its SHA-1 where the server has it.
 *
 * @throws what `send` throws, and an Error when the reply is not the script's
 */
export async function runScript(send: SendCommand, key: string, input: ScriptInput): Promise<ScriptReply> {
  const { rate, burst, processes, elapsed, wanted, due, spent, pause } = input
  const args = ['1', key, ...[rate, burst, processes, elapsed, wanted, due, spent, pause].map(String)]
  let reply: unknown
  try {
    reply = await send(['EVALSHA', SCRIPT_SHA, ...args])
  } catch (error) {
    // What Redis reports when it does not have the script, as after a restart; valkey-glide makes it NoScriptError.
    if (!/NOSCRIPT/i.test(String(error))) throw error
    reply = await send(['EVAL', SCRIPT, ...args])
  }
  const [granted = NaN, wait = NaN, round = NaN] = Array.isArray(reply) ? reply.map(Number) : []
  const isReply =
    granted >= Math.min(wanted, wait > 0 ? 0 : 1) && granted <= wanted && wait >= 0 && wait + round < Infinity
  if (!isReply) throw new Error('Redis sent a reply that is not of the rate limit script.')
  return { granted, wait, round }
}
