-- wrk -s rotating.lua <url> -- <file>: sends the request of <file>.template with one token of <file> after the other in place
-- of its @, takes the next token from each answer, and leaves those that were not sent in <file>.
dofile(debug.getinfo(1, "S").source:match("^@(.*/)") .. "../requests.lua")

local template
local threads = {}
-- The thread's own, read by done() from outside: tokens[first] to tokens[last] were not sent yet.
tokens = {}
first = 1
last = 0

local function read(name)
  local file = assert(io.open(name, "rb"))
  local text = file:read("*a")
  file:close()
  return text
end

function setup(thread)
  threads[#threads + 1] = thread
end

function init(args)
  tokens_file = args[1]
  template = read(args[1] .. ".template")
  for token in read(args[1]):gmatch("[^\n]+") do
    last = last + 1
    tokens[last] = token
  end
end

function request()
  local token = tokens[first]
  tokens[first] = nil
  first = first + 1
  return (template:gsub("@", token))
end

function response(status, headers, body)
  local token = body:match('"refresh_token":"([^"]+)"')
  if token then
    last = last + 1
    tokens[last] = token
  end
end

function done(summary, latency)
  local thread = threads[1]
  local file = assert(io.open(thread:get("tokens_file"), "wb"))
  file:write(table.concat(thread:get("tokens"), "\n", thread:get("first"), thread:get("last")))
  file:close()
  report(summary, latency)
end
