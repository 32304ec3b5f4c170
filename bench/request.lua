-- What wrk sends: the body given in BODY with each [<id>] in it replaced by an id. Every request has a new one,
-- or with PEOPLE one of so many in turn. With DELAY_MS each connection pauses that long between its requests.
local parts = {}
for part in (os.getenv("BODY") .. "[<id>]"):gmatch("(.-)%[<id>%]") do parts[#parts + 1] = part end
local prefix = os.getenv("ID_PREFIX")
local people = tonumber(os.getenv("PEOPLE") or "0")
local pause = tonumber(os.getenv("DELAY_MS") or "0")
local sent = 0

wrk.method = "POST"
for name, value in (os.getenv("HEADERS") or ""):gmatch("([^:\n]+): ([^\n]+)") do wrk.headers[name] = value end

request = function()
  sent = sent + 1
  local id = prefix .. string.format("%07d", people > 0 and sent % people or sent)
  return wrk.format(nil, nil, nil, table.concat(parts, id))
end

if pause > 0 then
  delay = function() return pause end
end
