local rate, burst, processes, elapsed, wanted, due, spent, penalty = unpack(ARGV)
rate, burst, processes = tonumber(rate), tonumber(burst), tonumber(processes)
wanted, penalty = tonumber(wanted), tonumber(penalty)
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local function read(field) return tonumber(redis.call('HGET', KEYS[1], field) or 0) or 0 end

local passed = math.max(0, math.min(now - read('at'), tonumber(elapsed)))
local pause = read('pause')
local tokens = read('tokens') + math.max(0, passed - pause) * rate
local queue = math.max(0, read('queue') - passed)
pause = math.max(0, pause - passed)
tokens = math.min(burst, tokens)
tokens = math.min(burst, math.max(tokens - spent, math.min(tokens, -1000 * rate)))
if penalty > 0 then
  pause = math.max(pause, penalty)
  tokens = 1
end

local granted, wait = 0, 0
if pause == 0 and tokens >= 0.999999 and (due == '1' or queue == 0 or tokens >= 2) then
  local part = math.max(1, math.floor(burst / processes))
  granted = math.min(wanted, tokens >= processes and math.min(part, math.floor(tokens)) or 1)
  tokens = tokens - granted
  if granted < wanted and tokens >= 1 then wait = 100 * granted / part end
end
if granted == 0 and wanted > 0 and due == '1' and burst < 2 and tokens > 0.5 then
  wait = pause + (1 - tokens) / rate
elseif granted < wanted and (granted == 0 or tokens < 1) then
  wait = math.max(queue, pause + (1 - tokens) / rate)
  queue = wait + 1 / rate
end

redis.call('HSET', KEYS[1], 'at', now, 'tokens', tokens, 'queue', queue, 'pause', pause)
redis.call('PEXPIRE', KEYS[1], math.ceil(math.max((burst - tokens) / rate + pause, queue)) + 1000)
return {granted, math.ceil(wait)}
