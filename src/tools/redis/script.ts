import { ROUNDING } from '../../internal/limits/token-bucket.js'
import { ALLOWED_DELAY, ARGUMENTS, LONGEST_PAUSE } from './protocol.js'

/*
 * A token bucket, the twin of `src/internal/limits/token-bucket.ts`, with a queue of processes and a pause.
 *
 * Tokens decide how much is sent; the queue decides only who is next. A process that is not served reserves a time, one
 * interval of the rate after the last reserved one, if its callers wait that long, and takes its token when it comes back. With
 * the time it gets a place, which ends unless the process says now and then that it still waits. No time is reserved beyond
 * the places that there are: where processes have left or died, those that still wait come earlier, and what was not taken
 * stays in the bucket. A new process takes it when nobody waits, or when it would be lost because those who are next have died.
 *
 * Of a burst a new process takes the part that `processes` gives it, and comes for more when the others had time to take
 * theirs. In the queue it gets one token, or an equal part of what nobody took.
 *
 * Only differences of the server's time count, and none is longer than the caller's own clock confirms, so a server whose
 * clock jumps grants no second burst. A queue or pause of more than a day was written by something else, and does not count.
 */

/** The figures of the script. Times are in ms. */
export const TUNING = {
  /** Processes that begin within this time share a burst: those of a deployment start one after another. */
  burstWindow: 500,
  /** The longest wait until one of them asks for more: it has no place in the queue that would end. */
  longestBurstWait: 5_000,
  /** How long a waiting process may be silent; one that is younger than that, as long as it has lived. */
  usualSilence: 5_000,
  /** Instead of `usualSilence` while processes die: the places of dead ones are soon free. No silence is shorter. */
  shortestSilence: 500,
  /** Where many wait: this much per waiting process, up to `longestSilence`; 33 commands a second in all. */
  silenceEach: 30,
  /** Instead of `silenceEach` while processes die: 100 commands a second. */
  silenceEachDying: 10,
  longestSilence: 30_000,
  /** A process counts as dead this long after it should have said that it waits: its message may be slow. */
  grace: 1_000,
  /** Places that end within this time are counted together, as one number of the hash. */
  period: 250,
  /** The most periods that a hash has: longer than `longestSilence` and `grace` together. */
  mostPeriods: 150,
  /** Fewer deaths than this, or than processes that wait, may be slow messages. */
  leastDeaths: 2,
  /**
   * Above this part of the burst a new process gets tokens while others die: those who are next may be dead, and a full
   * bucket loses tokens.
   */
  nearlyFull: 0.75,
  /** How far a process that comes at its time and finds no token is put back, in intervals of the rate. */
  setbackIntervals: 5,
  /** The half-life of the number of deaths: a deployment is forgotten within half a minute. */
  deathsHalfLife: 5_000,
  /** How far below zero the bucket may go, in ms of its rate: every process notices within this time that Redis is back. */
  longestDebt: 1_000,
}

/**
 * The fields of the hash that the script keeps, as of `at`. Durations are in ms. The script calls `queue` reservedFor, `start`
 * burstReservedFor, `turn` periodsOver and `died` deaths; the hash keeps the names of running fleets.
 */
export interface ScriptState {
  /** The server's time in ms; undefined when Redis has no hash. */
  at?: number | undefined
  /** Below 0 when processes used more than there was while they could not reach Redis. */
  tokens: number
  /** How long until requests may be sent again; nothing refills before. */
  pause: number
  /** Until when times are reserved, in ms from `at`. */
  queue: number
  /** Until when times are reserved for processes that come for more of a burst, in ms from `at`. */
  start: number
  /** How many processes died lately, that is, did not say that they still wait; see `deathsHalfLife`. */
  died: number
  /** How many places in the queue end in each of the next periods, unless their process says that it still waits. */
  places: number[]
  /** Number of periods since the hash was made; a place is the number of the period in which it ends. */
  turn: number
  /** How much of the first period of `places` has passed. */
  phase: number
}

/**
 * Reads the arguments by their names, the server's time, and how much of it has passed. `within` replaces what something else
 * wrote into the hash by 0.
 */
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

/**
 * The bucket and the pause, with what the process reports. After a pause one request goes first, and the bucket refills from
 * there.
 */
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
local newlyOver = math.floor(phase / ${TUNING.period})
local periodsOver = within(read('turn'), 1e12) + newlyOver
phase = phase - newlyOver * ${TUNING.period}
local deaths = within(read('died'), 1e6) * 0.5 ^ (passed / ${TUNING.deathsHalfLife})
local places, index = {}, -newlyOver
for text in string.gmatch(redis.call('HGET', KEYS[1], 'places') or '', '%d+') do
  index = index + 1
  local count = within(tonumber(text), 1e6)
  if index <= 0 then
    deaths = deaths + count
  elseif index <= ${TUNING.mostPeriods} then
    places[index] = count
  end
end
local ownPeriod = input.place - periodsOver
local hasPlace = input.place > 0 and (places[ownPeriod] or 0) > 0
if hasPlace then places[ownPeriod] = places[ownPeriod] - 1 end
local waiting = 0
for _, count in ipairs(places) do waiting = waiting + count end
local areDying = deaths >= math.max(${TUNING.leastDeaths}, waiting)
`

/**
 * The reserved times: none after those of the places that there are. `reservedFor` ends one interval after the last reserved
 * time.
 */
const QUEUE = `
local burstReservedFor = within(read('start') - passed, ${LONGEST_PAUSE})
local firstIn = math.max(pause + math.max(0, 1 - tokens) / rate, burstReservedFor)
local lastIn = firstIn + (waiting + (hasPlace and 1 or 0)) / rate
local reservedFor = math.min(within(read('queue') - passed, ${LONGEST_PAUSE}), lastIn)
local lastReserved = math.max(0, reservedFor - interval)
if hasPlace and (mode == 'none' or mode == 'new') then reservedFor = lastReserved end
`

/**
 * What each mode gets when there are tokens and no pause:
 * - none: all that there are
 * - due: one token, two if there are plenty, or an equal part
 * - wait: one token or an equal part, if it is next or there are plenty
 * - new: only tokens that nobody waits for, or that would be lost
 * `plenty` are one token for this process, one for the next, and one for each that may still come late to its time. `equalPart`
 * divides the tokens among those that have reserved a time.
 */
const GRANT = `
local available = math.floor(tokens + ${ROUNDING})
local plenty = 2 + ${ALLOWED_DELAY} * rate
local isPlenty = tokens >= plenty
local equalPart = math.floor(available / math.max(1, (reservedFor + burstReservedFor) * rate))
local grant = {}
function grant.none() return available end
function grant.due() return math.max(isPlenty and 2 or 1, equalPart) end
function grant.wait()
  local isNext = input.left <= 0 or lastReserved == 0
  return (isNext or isPlenty) and math.max(1, equalPart) or 0
end
function grant.new()
  local isFree = waiting == 0 and (burstReservedFor == 0 or isPlenty)
  local wouldBeLost = areDying and isPlenty and tokens > burst * ${TUNING.nearlyFull}
  return (isFree or wouldBeLost) and math.max(1, math.floor(burst / input.processes)) or 0
end
local granted = 0
if pause == 0 and available > 0 then granted = math.min(grant[mode](), wanted, available) end
tokens = tokens - granted
`

/**
 * When a process that did not get all comes again: for more of a burst, at the time that it keeps, a little later because its
 * time came without a token, or at a time that it reserves now. `earliest` is when there is a token.
 */
const RESERVE = `
local setback = ${TUNING.setbackIntervals} / rate
local function comeForMore(earliest)
  local wait = math.max(earliest, ${TUNING.burstWindow}, math.min(burstReservedFor, ${TUNING.longestBurstWait}))
  burstReservedFor = wait + interval
  return wait
end
local function keepTime(earliest)
  local wait = math.max(earliest, math.min(input.left, lastReserved), 1)
  reservedFor = math.max(reservedFor, wait + interval)
  return wait
end
local function reserve(earliest)
  local wait = math.max(earliest, reservedFor, burstReservedFor)
  if wait == 0 then wait = interval end
  if wait <= input.patience then reservedFor = wait + interval end
  return wait
end
local function timeInQueue(earliest)
  local gotNothing = hasPlace and granted == 0
  if mode == 'wait' and gotNothing then return keepTime(earliest) end
  if mode == 'due' and gotNothing and reservedFor > earliest + setback then return earliest + setback end
  return reserve(earliest)
end
local function silence()
  local usual, each = ${TUNING.usualSilence}, ${TUNING.silenceEach}
  if areDying then usual, each = ${TUNING.shortestSilence}, ${TUNING.silenceEachDying} end
  local byAge = math.max(${TUNING.shortestSilence}, math.min(usual, input.age))
  return math.max(byAge, math.min(${TUNING.longestSilence}, waiting * each))
end
local function takePlace(again)
  local period = math.floor((phase + again + ${TUNING.grace}) / ${TUNING.period}) + 1
  for empty = #places + 1, period do places[empty] = 0 end
  places[period] = places[period] + 1
  return periodsOver + period
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
redis.call('HSET', KEYS[1], 'at', now, 'tokens', tokens, 'queue', reservedFor, 'pause', pause)
if mode ~= 'none' or #places > 0 then
  local listed = table.concat(places, ',')
  redis.call('HSET', KEYS[1], 'start', burstReservedFor, 'died', deaths, 'turn', periodsOver, 'phase', phase, 'places', listed)
end
local full = (burst - tokens) / rate + pause
redis.call('PEXPIRE', KEYS[1], math.ceil(math.max(full, reservedFor) + input.keep))
return {granted, math.ceil(wait), math.max(0, math.floor(tokens + ${ROUNDING})), math.ceil(again), place}
`

/** The parts above as one program: each uses the variables of those before it. */
// With a type, so that the declarations do not repeat it.
export const SCRIPT: string = [INPUT, BUCKET, PLACES, QUEUE, GRANT, RESERVE, REPLY].join('')

/** The SHA-1 of the script, by which the server knows it; written here so that no runtime has to compute it. */
export const SCRIPT_SHA = '2e6f483e983cb7fd7aaac6c514b419785dc3edcc'
