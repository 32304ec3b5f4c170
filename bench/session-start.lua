-- What wrk sends: the body given in BODY with its [<id>] replaced by a new id in each request, so that every
-- session is a new visitor's. With DELAY_MS each connection pauses that long between its requests.
local before, after = os.getenv("BODY"):match("^(.-)%[<id>%](.*)$")
local prefix = os.getenv("ID_PREFIX")
local pause = tonumber(os.getenv("DELAY_MS") or "0")
local sent = 0

wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"

request = function()
  sent = sent + 1
  return wrk.format(nil, nil, nil, before .. prefix .. sent .. after)
end

if pause > 0 then
  delay = function() return pause end
end
