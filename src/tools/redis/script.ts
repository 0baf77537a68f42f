/** A Redis command with its arguments. */
export type RedisCommand = [name: string, ...args: string[]]

/** Sends a command to Redis or Valkey and resolves to its reply. */
export type SendCommand = (command: RedisCommand) => PromiseLike<unknown>

/** What a process sends to the script. Times are in ms. */
export interface ScriptInput {
  /** The time of one request at the rate of the process's plan. */
  interval: number
  /** The most time that a fleet saves: its burst. */
  full: number
  /** How many requests of a burst one process sends at once. */
  part: number
  /** How many requests wait in the process. */
  wanted: number
  /** How long until the turn of the process, at most 0 when it has come; {@link NO_TURN} if it has none. */
  left: number
  /** How long the most patient of its callers waits: a later turn is not given out. */
  patience: number
  /** Requests that it sent without asking; below 0, those that it was granted and did not send. */
  used: number
  /** The most time that can have passed since the last command of the fleet, by the process's own clock. */
  elapsed: number
  /** For how long the service asked it to pause. */
  pausing: number
  /** The saved time of a workspace that Redis does not know: it never did, or has lost it. */
  initial: number
  /** How long Redis keeps a workspace whose burst is full. */
  keep: number
}

/** What the script replies. Times are in ms. */
export interface ScriptReply {
  /** How many requests may be sent now. */
  granted: number
  /** How long until the others: the turn of the process; 0 when all were granted. */
  wait: number
  /** How many requests of the process's plan are saved. */
  tokens: number
  /** How long until it asks again: not later than its turn. */
  again: number
}

/** The arguments of the script, in this order. */
export const ARGUMENTS = [
  'interval',
  'full',
  'part',
  'wanted',
  'left',
  'patience',
  'used',
  'elapsed',
  'pausing',
  'initial',
  'keep',
] as const satisfies readonly (keyof ScriptInput)[]

export const NO_TURN = -1e9

/** The `elapsed` of a process without a reply yet: longer than any time that can have passed. */
export const ANY_TIME = 9e15

/** The longest pause or turn, in ms: a day. */
export const LONGEST = 86_400_000

/** The figures of the script. Times are in ms. */
export const TUNING = {
  /** How late a process may come to its turn: a message to Redis and a busy event loop. */
  late: 250,
  /** What was used while Redis was away is taken from the saved time, up to this debt: a fleet is back within a second. */
  longestDebt: 1_000,
  /** Of a burst, a process asks for another part this much later, when those that were started with it have had theirs. */
  burstWindow: 500,
  /** A newcomer passes those who wait only where more than this part of the burst is saved: they may all have died. */
  newcomerAbove: 1 / 8,
  /** A process before its turn takes one request where more than this many are to spare. */
  earlyAbove: 4,
  /** How often a process looks before its turn whether something is to spare; and where there is more than `earlyAbove`. */
  look: 5_000,
  lookSoon: 1_000,
  /** Where more than so many wait, each looks less often. */
  lookers: 130,
}

/*
 * Virtual scheduling. `saved` is the time that nobody has used, at most a burst; a request takes its interval of it. A process
 * that finds too little gets the next turn in the line, comes back then and takes its time. A process that dies does not come:
 * its time stays saved, and whoever comes takes what the others do not need.
 *
 * A turn is worth the same time for all: the interval of the slowest plan in the line. A faster plan sends several requests in
 * it, so while two plans share a workspace each gets its part of its own rate.
 *
 * Only differences of the server's time count, and none is longer than the process's own clock confirms. The hash has tokens and
 * their interval, `at` and `pause` as in release 4, so that both releases can count in it at once; the line has other fields, with
 * the time at which they were written, because release 4 does not move them on.
 */
export const SCRIPT: string = `
local input = {}
for index, text in ipairs(ARGV) do input[index] = tonumber(text) end
local ${ARGUMENTS.join(', ')} = unpack(input)

-- What something else wrote is not read. A workspace that Redis does not know has saved the initial time.
local function read(field, least, most)
  local value = tonumber(redis.call('HGET', KEYS[1], field))
  return value and value >= least and value <= most and value or nil
end
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local function since(at) return at and math.max(0, math.min(now - at, elapsed)) or 0 end

-- The time that is saved. While the service pauses, none is; after a pause one request goes first.
local countedAt = read('at', 0, 1e15)
local passed = since(countedAt)
local pause = read('pause', 0, ${LONGEST}) or 0
local saved = initial
if countedAt then
  local before = (read('tokens', -1e9, 1e9) or 0) * (read('interval', 0, 1e9) or interval)
  saved = math.min(full, before + math.max(0, passed - pause))
end
saved = math.min(full, math.max(-${TUNING.longestDebt}, saved - used * interval))
pause = math.max(0, pause - passed, pausing)
if pausing > 0 then saved = interval end

-- The line: how long until the last turn that was given out (below 0: how long ago), and the slowest plan that has one.
local lineAt = read('lineAt', 0, 1e15)
local moved = since(lineAt)
local last = (lineAt and read('last', -${LONGEST}, ${LONGEST}) or -${LONGEST}) - moved
local slowestFor = (read('slowestFor', 0, ${LONGEST}) or 0) - moved
local slowest = slowestFor > 0 and read('slowest', 0, 1e9) or interval
if slowest <= interval then slowest = interval end
local atOnce = math.max(1, math.floor(slowest / interval + 1e-6))

-- What the process may send now.
local hasTurn, isDue = left > ${NO_TURN}, left > ${NO_TURN} and left <= 0
local othersWait = last > (hasTurn and 0 or -${TUNING.late})
-- Less what the next in the line needs, and what is saved while those who are late come.
local spare = saved - (othersWait and slowest + ${TUNING.late} or 0)
local most
if not othersWait then
  most = hasTurn and wanted or part
elseif isDue then
  -- Its own turn, and an equal part of what the dead did not take.
  local inLine = 1 + math.max(0, last) / slowest
  most = atOnce + math.min(part, math.max(0, math.floor(spare / interval / inLine)))
elseif hasTurn then
  most = spare > ${TUNING.earlyAbove} * interval and 1 or 0
else
  most = spare > full * ${TUNING.newcomerAbove} and part or 0
end
local granted = 0
if pause == 0 then granted = math.max(0, math.floor(math.min(wanted, most, saved / interval) + 1e-6)) end
saved = saved - granted * interval
spare = spare - granted * interval

-- When it comes for the others.
local wait = 0
if granted < wanted then
  local earliest = pause + math.max(0, interval - saved)
  if left > pause then
    wait = left
  elseif isDue and granted == 0 and pause == 0 then
    -- Its time was taken: it stays the next, and all after it come that much later.
    wait = math.max(1, earliest)
    last = math.max(0, last) + wait
  else
    local turn = math.min(wanted - granted, atOnce) * interval
    wait = math.max(1, earliest, last + turn)
    -- There is more of the burst: the others come for theirs first.
    if spare >= interval then wait = math.max(wait, ${TUNING.burstWindow}) end
    if wait <= patience then last = wait end
  end
  if interval >= slowest and wait <= patience then slowestFor = wait + ${TUNING.late} end
end
local look = spare > ${TUNING.earlyAbove} * interval and ${TUNING.lookSoon} or ${TUNING.look}
local again = math.min(wait, look * math.max(1, last / slowest / ${TUNING.lookers}))

redis.call('HSET', KEYS[1], 'at', now, 'tokens', saved / interval, 'interval', interval, 'pause', pause,
  'lineAt', now, 'last', math.max(-${LONGEST}, last), 'slowest', slowest, 'slowestFor', math.max(0, slowestFor))
redis.call('PEXPIRE', KEYS[1], math.ceil(full + math.max(0, last) + pause + keep))
return {granted, math.ceil(wait), math.max(0, math.floor(saved / interval + 1e-6)), math.ceil(again)}
`

/** The SHA-1 of the script, by which the server knows it; written here so that no runtime has to compute it. */
export const SCRIPT_SHA = '73fbcd97d40688ba17c4003c2cc8d24afbde50e6'
