import { ROUNDING } from '../internal/limits/token-bucket.js'
import { ALLOWED_DELAY, ARGUMENTS, LONGEST_PAUSE } from './protocol.js'

/** The figures of the script. Times are in ms. */
export const TUNING = {
  /** Processes that begin within this time share a burst: those of a deployment start one after another. */
  burstWindow: 500,
  /** The latest that one of them comes for more: they have no place that would end. */
  longestBurstWait: 5_000,
  /** A process that waits says so after this time, and while it is young after as long as it has lived. */
  longestSilence: 5_000,
  /** The same while others die. */
  shortestSilence: 500,
  /** The same where many wait: so much for each, which makes 33 commands a second, and no more than `mostSilence`. */
  silenceEach: 30,
  /** The same while others die: 100 commands a second. */
  silenceEachDying: 10,
  mostSilence: 30_000,
  /** One that does not say so in time is dead, and its place is free so much later. */
  grace: 1_000,
  /** Places that end within this time are counted together. */
  period: 250,
  /** How many places may end: more than there can be. */
  mostPeriods: 150,
  /** So many deaths at least, and as many as wait, are no messages that were slow. */
  leastDeaths: 2,
  /** The part of the burst beyond which tokens would be lost while those are dead who are next. */
  nearlyFull: 0.75,
  /** How many intervals of the rate a process that comes at its time and finds no token is put back. */
  setbackIntervals: 5,
  /** The time in which the memory of processes that died becomes half. */
  deathsHalfLife: 5_000,
  /** How far below zero the bucket goes, in ms of its rate: so long it takes until every process noticed that Redis is back. */
  longestDebt: 1_000,
}

/**
 * A token bucket, the twin of `src/internal/limits/token-bucket.ts`, with a queue of processes and a pause. The state is as of
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
local rate, burst, wanted, mode, spent = input.rate, input.burst, input.wanted, input.mode, input.spent
local held, left, patience = input.place, input.left, input.patience
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
tokens = math.min(burst, math.max(tokens - spent, -${TUNING.longestDebt} * rate))
if input.pause > 0 then
  pause = math.max(pause, input.pause)
  tokens = 1
end

local phase = within(read('phase'), ${TUNING.period}) + passed
local over = math.floor(phase / ${TUNING.period})
local turn = within(read('turn'), 1e12) + over
phase = phase - over * ${TUNING.period}
local places, waiting, index = {}, 0, -over
local died = within(read('died'), 1e6) * 0.5 ^ (passed / ${TUNING.deathsHalfLife})
for count in string.gmatch(redis.call('HGET', KEYS[1], 'places') or '', '%d+') do
  index = index + 1
  if index <= 0 then
    died = died + within(tonumber(count), 1e6)
  elseif index <= ${TUNING.mostPeriods} then
    places[index] = within(tonumber(count), 1e6)
  end
end
local hasPlace = held > 0 and (places[held - turn] or 0) > 0
if hasPlace then places[held - turn] = places[held - turn] - 1 end
for _, count in ipairs(places) do waiting = waiting + count end

local areDying = died >= math.max(${TUNING.leastDeaths}, waiting)
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
  elseif mode == 'new' and (waiting == 0 and (start == 0 or isPlenty) or areDying and isPlenty and tokens > burst * ${TUNING.nearlyFull}) then
    granted = math.max(1, math.floor(burst / input.processes))
  end
end
granted = math.min(granted, wanted, math.max(0, available))
tokens = tokens - granted
if granted < wanted then
  wait = pause + math.max(0, 1 - tokens) / rate
  local hasPart = mode == 'new' and tokens >= 1 or mode == 'due' and held == 0 and tokens >= plenty
  if hasPart and granted > 0 then
    wait = math.max(wait, ${TUNING.burstWindow}, math.min(start, ${TUNING.longestBurstWait}))
    start = wait + 1 / rate
    again = wait
  elseif mode ~= 'none' then
    if mode == 'wait' and hasPlace and granted == 0 then
      wait = math.max(wait, math.min(left, before), 1)
      queue = math.max(queue, wait + 1 / rate)
    elseif mode == 'due' and hasPlace and granted == 0 and queue > wait + ${TUNING.setbackIntervals} / rate then
      wait = wait + ${TUNING.setbackIntervals} / rate
    else
      wait = math.max(wait, queue, start)
      if wait == 0 then wait = 1 / rate end
      if wait <= patience then queue = wait + 1 / rate end
    end
    again = wait
    if wait <= patience then
      local lived = math.max(${TUNING.shortestSilence}, math.min(areDying and ${TUNING.shortestSilence} or ${TUNING.longestSilence}, input.age))
      again = math.min(wait, math.max(lived, math.min(${TUNING.mostSilence}, waiting * (areDying and ${TUNING.silenceEachDying} or ${TUNING.silenceEach}))))
      local last = math.floor((phase + again + ${TUNING.grace}) / ${TUNING.period}) + 1
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
export const SCRIPT_SHA = '1d2e9448c5665f2c2156377b75f986716aae3c53'
