-- wrk -s requests.lua <url> -- <file> [pause]: sends the requests of the file, which stand there byte for byte with a
-- zero byte between two, one after the other and round and round. With a pause, each connection waits between two
-- requests: so many milliseconds on average, nothing to twice as long.
local requests = {}
local sent = 0

function init(args)
  local file = assert(io.open(args[1], "rb"))
  for text in file:read("*a"):gmatch("%Z+") do
    requests[#requests + 1] = text
  end
  file:close()
  local pause = tonumber(args[2])
  if pause then
    delay = function() return math.random(0, 2 * pause) end
  end
end

function request()
  sent = sent % #requests + 1
  return requests[sent]
end

function done(summary, latency)
  report(summary, latency)
end

-- The line that load.mjs reads.
function report(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    'RESULT {"requests":%d,"microseconds":%d,"refused":%d,"broken":%d,"p50":%d,"p99":%d}\n',
    summary.requests, summary.duration, errors.status,
    errors.connect + errors.read + errors.write + errors.timeout,
    latency:percentile(50), latency:percentile(99)))
end
