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
  /** The same while others die, so that the places of the dead are soon free. */
  shortestSilence: 500,
  /** The same where many wait: so much for each, which makes 33 commands a second, and no more than `mostSilence`. */
  silenceEach: 30,
  /** The same while others die: 100 commands a second. */
  silenceEachDying: 10,
  mostSilence: 30_000,
  /** One that does not say so in time is dead, and its place is free so much later: its message may be slow. */
  grace: 1_000,
  /** Places that end within this time are counted together: a hash holds one number for them. */
  period: 250,
  /** How many periods a hash may have: longer than the longest silence and the grace. */
  mostPeriods: 150,
  /** So many deaths at least, and as many as wait, are no messages that were slow. */
  leastDeaths: 2,
  /** The part of the burst beyond which tokens would be lost while those are dead who are next. */
  nearlyFull: 0.75,
  /** How many intervals of the rate a process that comes at its time and finds no token is put back. */
  setbackIntervals: 5,
  /** The time in which the memory of processes that died becomes half: a deployment is forgotten within half a minute. */
  deathsHalfLife: 5_000,
  /** How far below zero the bucket goes, in ms of its rate: so long it takes until every process noticed that Redis is back. */
  longestDebt: 1_000,
}

/** The fields of the hash that the script keeps, as of `at`. Durations are in ms. */
export interface ScriptState {
  /** The server's time in ms; undefined when Redis has no hash. */
  at?: number | undefined
  /** Below 0 when processes used more than there was while they could not reach Redis. */
  tokens: number
  /** How long until requests may be sent again; nothing refills before. */
  pause: number
  /** Until when times are reserved, in ms from `at`. */
  queue: number
  /** The same for processes that come for more of a burst. */
  start: number
  /** How many processes of late did not say that they still wait. */
  died: number
  /** How many places in the queue end in each of the next periods, unless their process says that it still waits. */
  places: number[]
  /** Number of periods since the hash was made; a place is the number of the period in which it ends. */
  turn: number
  /** How much of the first period of `places` has passed. */
  phase: number
}

/** Reads the arguments by their names, the server's time, and how much of it has passed. */
const INPUT = `
local input = {}
for index, name in ipairs({${ARGUMENTS.map((name) => `'${name}'`).join(', ')}}) do
  input[name] = tonumber(ARGV[index]) or ARGV[index]
end
local mode, rate, burst, wanted = input.mode, input.rate, input.burst, input.wanted
local interval = 1 / rate
local function read(field) return tonumber(redis.call('HGET', KEYS[1], field)) or 0 end
local function within(value, most) return value > 0 and value <= most and value or 0 end
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local passed = math.max(0, math.min(now - read('at'), input.elapsed))
`

/** The bucket and the pause, with what the process reports. */
const BUCKET = `
local pause, tokens = read('pause'), input.initial - math.max(0, input.spent)
if redis.call('HGET', KEYS[1], 'at') then
  tokens = math.min(burst, read('tokens') + math.max(0, passed - pause) * rate) - input.spent
end
tokens = math.min(burst, math.max(tokens, -${TUNING.longestDebt} * rate))
pause = within(pause - passed, ${LONGEST_PAUSE})
if input.pause > 0 then
  pause = math.max(pause, input.pause)
  tokens = 1
end
`

/** The places: those that ended are of processes that died, the others wait. The process leaves its own. */
const PLACES = `
local phase = within(read('phase'), ${TUNING.period}) + passed
local over = math.floor(phase / ${TUNING.period})
local turn = within(read('turn'), 1e12) + over
phase = phase - over * ${TUNING.period}
local died = within(read('died'), 1e6) * 0.5 ^ (passed / ${TUNING.deathsHalfLife})
local places, index = {}, -over
for text in string.gmatch(redis.call('HGET', KEYS[1], 'places') or '', '%d+') do
  index = index + 1
  local count = within(tonumber(text), 1e6)
  if index <= 0 then
    died = died + count
  elseif index <= ${TUNING.mostPeriods} then
    places[index] = count
  end
end
local own = input.place - turn
local hasPlace = input.place > 0 and (places[own] or 0) > 0
if hasPlace then places[own] = places[own] - 1 end
local waiting = 0
for _, count in ipairs(places) do waiting = waiting + count end
local areDying = died >= math.max(${TUNING.leastDeaths}, waiting)
`

/** The reserved times: none after those of the places that there are. `before` is the last one. */
const QUEUE = `
local start = within(read('start') - passed, ${LONGEST_PAUSE})
local first = math.max(pause + math.max(0, 1 - tokens) / rate, start)
local last = first + (waiting + (hasPlace and 1 or 0)) / rate
local queue = math.min(within(read('queue') - passed, ${LONGEST_PAUSE}), last)
local before = math.max(0, queue - interval)
if hasPlace and (mode == 'none' or mode == 'new') then queue = before end
`

/** What each mode gets when there are tokens and no pause. */
const GRANT = `
local available = math.floor(tokens + ${ROUNDING})
local plenty = 2 + ${ALLOWED_DELAY} * rate
local isPlenty = tokens >= plenty
local part = math.floor(available / math.max(1, (queue + start) * rate))
local grant = {}
function grant.none() return available end
function grant.due() return math.max(isPlenty and 2 or 1, part) end
function grant.wait()
  local isNext = input.left <= 0 or before == 0
  return (isNext or isPlenty) and math.max(1, part) or 0
end
function grant.new()
  local isFree = waiting == 0 and (start == 0 or isPlenty)
  local isLostElse = areDying and isPlenty and tokens > burst * ${TUNING.nearlyFull}
  return (isFree or isLostElse) and math.max(1, math.floor(burst / input.processes)) or 0
end
local granted = 0
if pause == 0 and available > 0 then granted = math.min(grant[mode](), wanted, available) end
tokens = tokens - granted
`

/** When a process that did not get all comes again: `earliest` is when there is a token. */
const RESERVE = `
local setback = ${TUNING.setbackIntervals} / rate
local function comeForMore(earliest)
  local wait = math.max(earliest, ${TUNING.burstWindow}, math.min(start, ${TUNING.longestBurstWait}))
  start = wait + interval
  return wait
end
local function keepTime(earliest)
  local wait = math.max(earliest, math.min(input.left, before), 1)
  queue = math.max(queue, wait + interval)
  return wait
end
local function reserve(earliest)
  local wait = math.max(earliest, queue, start)
  if wait == 0 then wait = interval end
  if wait <= input.patience then queue = wait + interval end
  return wait
end
local function timeInQueue(earliest)
  local gotNothing = hasPlace and granted == 0
  if mode == 'wait' and gotNothing then return keepTime(earliest) end
  if mode == 'due' and gotNothing and queue > earliest + setback then return earliest + setback end
  return reserve(earliest)
end
local function silence()
  local least, each = ${TUNING.longestSilence}, ${TUNING.silenceEach}
  if areDying then least, each = ${TUNING.shortestSilence}, ${TUNING.silenceEachDying} end
  local young = math.max(${TUNING.shortestSilence}, math.min(least, input.age))
  return math.max(young, math.min(${TUNING.mostSilence}, waiting * each))
end
local function takePlace(again)
  local last = math.floor((phase + again + ${TUNING.grace}) / ${TUNING.period}) + 1
  for empty = #places + 1, last do places[empty] = 0 end
  places[last] = places[last] + 1
  return turn + last
end
local wait, again, place = 0, 0, 0
if granted < wanted then
  wait = pause + math.max(0, 1 - tokens) / rate
  local isMoreOfBurst = mode == 'new' and tokens >= 1 or mode == 'due' and input.place == 0 and tokens >= plenty
  if granted > 0 and isMoreOfBurst then
    wait = comeForMore(wait)
    again = wait
  elseif mode ~= 'none' then
    wait = timeInQueue(wait)
    again = wait
    if wait <= input.patience then
      again = math.min(wait, silence())
      place = takePlace(again)
    end
  end
end
`

/** Writes the state, and replies. */
const REPLY = `
redis.call('HSET', KEYS[1], 'at', now, 'tokens', tokens, 'queue', queue, 'pause', pause)
if mode ~= 'none' or #places > 0 then
  local listed = table.concat(places, ',')
  redis.call('HSET', KEYS[1], 'start', start, 'died', died, 'turn', turn, 'phase', phase, 'places', listed)
end
local full = (burst - tokens) / rate + pause
redis.call('PEXPIRE', KEYS[1], math.ceil(math.max(full, queue) + input.keep))
return {granted, math.ceil(wait), math.max(0, math.floor(tokens + ${ROUNDING})), math.ceil(again), place}
`

/**
 * A token bucket, the twin of `src/internal/limits/token-bucket.ts`, with a queue of processes and a pause. The parts above
 * are one program: each uses the variables of those before it.
 *
 * Tokens decide how much is sent, the queue only who is next. A process that is not served reserves a time, one interval of
 * the rate after the last one, if its callers wait so long, and takes its token when it comes back. No time is reserved
 * after those of the places that there are: where processes have left or died, those who wait come earlier when they say
 * that they still wait, and what was not taken stays in the bucket. A new process takes it when nobody waits, or when it
 * would be lost because those who are next have died.
 *
 * Of a burst a new process takes the part that `processes` gives it, and comes for more when the others had time to take
 * theirs. In the queue it gets one token, or an equal part of what nobody took.
 *
 * Only differences of the server's time count, and none is longer than the caller's own clock confirms, so a server
 * whose clock jumps grants no second burst. A queue or pause of more than a day was written by something else: none.
 */
// With a type, so that the declarations do not repeat it.
export const SCRIPT: string = [INPUT, BUCKET, PLACES, QUEUE, GRANT, RESERVE, REPLY].join('')

/** The SHA-1 of the script, by which the server knows it; written here so that no runtime has to compute it. */
export const SCRIPT_SHA = '49de0de58562f91cbd7095c8477efaae7cf8641a'
