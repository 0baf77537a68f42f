import { ROUNDING } from '../internal/token-bucket.js'

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
  queue: 'new' | 'due' | 'wait' | 'none'
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

/** What a process says that has no place in the queue. */
export const NO_PLACE = { place: 0, left: 0, patience: 0, age: 0 }

export interface ScriptReply {
  /** How many requests may be sent now. */
  granted: number
  /** When to ask for the others; 0 when all were granted. */
  wait: number
  /** How many tokens are left. */
  tokens: number
  /** When to say that it still waits, or to ask for the others. */
  again: number
  /** Its place in the queue; 0 for none. */
  place: number
}

/** The longest pause, in ms: a day. */
export const LONGEST_PAUSE = 86_400_000

/** How late a process may come to the time that it reserved, in ms: a message to Redis and a busy event loop. */
export const ALLOWED_DELAY = 250

/** Processes that begin within this time share a burst, in ms: those of a deployment start one after another. */
const BURST_WINDOW = 500

/** The latest that one of them comes for more, in ms: they have no place that would end. */
const LONGEST_BURST_WAIT = 5_000

/**
 * A process that waits says so after `longest`, in ms, while it is young after as long as it has lived, and after `shortest`
 * while others die; later where so many wait that it would be more than 33 commands a second. One that does not is dead, and its
 * place is nobody's `grace` later.
 */
const WAITING = { shortest: 500, longest: 5_000, most: 30_000, each: 30, eachDying: 10, grace: 1_000 }

/** Places that end within this time are counted together, in ms. */
const PERIOD = 250

/** How many places may end: more than there can be. */
const MOST_PERIODS = 150

/** So many deaths at least, and as many as wait, are no messages that were slow. */
const LEAST_DEATHS = 2

/** The part of the burst beyond which tokens would be lost while those are dead who are next. */
const NEARLY_FULL = 0.75

/** How many intervals of the rate a process that comes at its time and finds no token is put back. */
const SETBACK_INTERVALS = 5

/** The time in which the memory of processes that died becomes half, in ms. */
const DEATHS_HALF_LIFE = 5_000

/** How far below zero the bucket goes, in ms of its rate: so long it takes until every process noticed that Redis is back. */
const LONGEST_DEBT = 1_000

/** The arguments of the script, in this order; it reads them by name. */
const ARGUMENTS = [
  ...['rate', 'burst', 'wanted', 'queue', 'processes', 'elapsed', 'spent', 'pause', 'initial', 'keep'],
  ...['place', 'left', 'patience', 'age'],
] as readonly (keyof ScriptInput)[]

/**
 * A token bucket, the twin of `src/internal/token-bucket.ts`, with a queue of processes and a pause. The state is as of
 * `at`, the server's time in ms:
 *
 * - `tokens`: below 0 when processes used more than there was while they could not reach Redis
 * - `queue`: ms until the first time that is not reserved
 * - `start`: the same for those who come for more of a burst
 * - `pause`: ms until requests may be sent again; nothing refills before
 * - `died`: how many of late did not say that they still wait
 * - `places`: how many places in the queue end in each of the next periods, unless their process says that it still waits;
 *   `turn` counts those that are over, and `phase` is how much of the first has passed
 *
 * Tokens decide how much is sent, the queue only who is next. A process that is not served reserves a time, one interval of
 * the rate after the last one, if its callers wait so long, and takes its token when it comes back. No time is reserved
 * after those of the places that there are: where processes have left or died, those who wait come earlier when they say
 * that they still wait, and what was not taken stays in the bucket. A new process takes it when nobody waits, or when it would be
 * lost because those who are next have died.
 *
 * Of a burst a new process takes the part that `processes` gives it, and comes for more when the others had time to take
 * theirs. In the queue it gets one token, or an equal part of what nobody took.
 *
 * Only differences of the server's time count, and none is longer than the caller's own clock confirms, so a server
 * whose clock jumps grants no second burst. A queue or pause of more than a day was written by something else: none.
 */
// With a type, so that the declarations do not repeat it.
export const SCRIPT: string = `
local input = {}
for index, name in ipairs({${ARGUMENTS.map((name) => `'${name}'`).join(', ')}}) do
  input[name] = tonumber(ARGV[index]) or ARGV[index]
end
local rate, burst, wanted, mode, spent = input.rate, input.burst, input.wanted, input.queue, input.spent
local own, left, patience = input.place, input.left, input.patience
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local function read(field) return tonumber(redis.call('HGET', KEYS[1], field)) or 0 end
local function within(value, most) return value > 0 and value <= most and value or 0 end

local passed = math.max(0, math.min(now - read('at'), input.elapsed))
local pause, tokens = read('pause'), read('tokens')
if redis.call('HGET', KEYS[1], 'at') then
  tokens = math.min(burst, tokens + math.max(0, passed - pause) * rate)
else
  tokens, spent = input.initial, math.max(0, spent)
end
pause = within(pause - passed, ${LONGEST_PAUSE})
tokens = math.min(burst, math.max(tokens - spent, -${LONGEST_DEBT} * rate))
if input.pause > 0 then
  pause = math.max(pause, input.pause)
  tokens = 1
end

local phase = within(read('phase'), ${PERIOD}) + passed
local over = math.floor(phase / ${PERIOD})
local turn = within(read('turn'), 1e12) + over
phase = phase - over * ${PERIOD}
local places, waiting, index = {}, 0, -over
local died = within(read('died'), 1e6) * 0.5 ^ (passed / ${DEATHS_HALF_LIFE})
for count in string.gmatch(redis.call('HGET', KEYS[1], 'places') or '', '%d+') do
  index = index + 1
  if index <= 0 then
    died = died + within(tonumber(count), 1e6)
  elseif index <= ${MOST_PERIODS} then
    places[index] = within(tonumber(count), 1e6)
  end
end
local hasPlace = own > 0 and (places[own - turn] or 0) > 0
if hasPlace then places[own - turn] = places[own - turn] - 1 end
for _, count in ipairs(places) do waiting = waiting + count end

local areDying = died >= math.max(${LEAST_DEATHS}, waiting)
local first = pause + math.max(0, 1 - tokens) / rate
local queue = within(read('queue') - passed, ${LONGEST_PAUSE})
local start = within(read('start') - passed, ${LONGEST_PAUSE})
queue = math.min(queue, math.max(first, start) + (waiting + (hasPlace and 1 or 0)) / rate)
local before = math.max(0, queue - 1 / rate)
if hasPlace and (mode == 'none' or mode == 'new') then queue = before end

local granted, wait, again, place = 0, 0, 0, 0
local available = math.floor(tokens + ${ROUNDING})
local plenty = 2 + ${ALLOWED_DELAY} * rate
local isPlenty = tokens >= plenty
if pause == 0 and available > 0 then
  local part = math.floor(available / math.max(1, (queue + start) * rate))
  if mode == 'due' then
    granted = math.max(isPlenty and 2 or 1, part)
  elseif mode == 'none' then
    granted = available
  elseif mode == 'wait' and (isPlenty or left <= 0 or before == 0) then
    granted = math.max(1, part)
  elseif mode == 'new' and (waiting == 0 and (start == 0 or isPlenty) or areDying and isPlenty and tokens > burst * ${NEARLY_FULL}) then
    granted = math.max(1, math.floor(burst / input.processes))
  end
end
granted = math.min(granted, wanted, math.max(0, available))
tokens = tokens - granted
if granted < wanted then
  wait = pause + math.max(0, 1 - tokens) / rate
  local hasPart = mode == 'new' and tokens >= 1 or mode == 'due' and own == 0 and tokens >= plenty
  if hasPart and granted > 0 then
    wait = math.max(wait, ${BURST_WINDOW}, math.min(start, ${LONGEST_BURST_WAIT}))
    start = wait + 1 / rate
    again = wait
  elseif mode ~= 'none' then
    if mode == 'wait' and hasPlace and granted == 0 then
      wait = math.max(wait, math.min(left, before), 1)
      queue = math.max(queue, wait + 1 / rate)
    elseif mode == 'due' and hasPlace and granted == 0 and queue > wait + ${SETBACK_INTERVALS} / rate then
      wait = wait + ${SETBACK_INTERVALS} / rate
    else
      wait = math.max(wait, queue, start)
      if wait == 0 then wait = 1 / rate end
      if wait <= patience then queue = wait + 1 / rate end
    end
    again = wait
    if wait <= patience then
      local lived = math.max(${WAITING.shortest}, math.min(areDying and ${WAITING.shortest} or ${WAITING.longest}, input.age))
      again = math.min(wait, math.max(lived, math.min(${WAITING.most}, waiting * (areDying and ${WAITING.eachDying} or ${WAITING.each}))))
      local last = math.floor((phase + again + ${WAITING.grace}) / ${PERIOD}) + 1
      for empty = #places + 1, last do places[empty] = 0 end
      places[last] = places[last] + 1
      place = turn + last
    end
  end
end

redis.call('HSET', KEYS[1], 'at', now, 'tokens', tokens, 'queue', queue, 'pause', pause)
if mode ~= 'none' or #places > 0 then
  redis.call('HSET', KEYS[1], 'start', start, 'died', died, 'turn', turn, 'phase', phase, 'places', table.concat(places, ','))
end
redis.call('PEXPIRE', KEYS[1], math.ceil(math.max((burst - tokens) / rate + pause, queue) + input.keep))
return {granted, math.ceil(wait), math.max(0, math.floor(tokens + ${ROUNDING})), math.ceil(again), place}
`

/** The SHA-1 of the script, by which the server knows it; written here so that no runtime has to compute it. */
export const SCRIPT_SHA = 'b379cb978bbdfb22d3530c0cce9e96313c23ca82'

/**
 * Runs the script, by its SHA-1 where the server has it.
 *
 * @throws what `send` throws, and an Error when the reply is not the script's
 */
export async function runScript(send: SendCommand, key: string, input: ScriptInput): Promise<ScriptReply> {
  const { wanted } = input
  const args = ARGUMENTS.map((name) => String(input[name]))
  let reply: unknown
  try {
    reply = await send(['EVALSHA', SCRIPT_SHA, '1', key, ...args])
  } catch (error) {
    // What Redis reports when it does not have the script, as after a restart; valkey-glide makes it NoScriptError.
    if (!/NOSCRIPT/i.test(String(error))) throw error
    reply = await send(['EVAL', SCRIPT, '1', key, ...args])
  }
  const [granted = NaN, wait = NaN, tokens = 0, again = wait, own = 0] = Array.isArray(reply) ? reply.map(Number) : []
  const isReply = granted >= 0 && granted <= wanted && wait >= 0 && wait < Infinity && (granted === wanted || wait > 0)
  if (!isReply) throw new Error('Redis sent a reply that is not from the rate limit script.')
  return { granted, wait, tokens, again, place: own }
}
