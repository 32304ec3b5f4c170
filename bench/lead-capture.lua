-- Posts a form for a new person each time, or again and again for the same few people (PEOPLE).
local prefix = os.getenv("ID_PREFIX") or "p"
local people = tonumber(os.getenv("PEOPLE") or "0")
local count = 0
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/x-www-form-urlencoded"
wrk.headers["Origin"] = "https://bench.example.com"
wrk.headers["User-Agent"] = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36"
function request()
  count = count + 1
  local id = people > 0 and (count % people) or count
  local body = "FIRSTNAME=Ada+Lovelace&EMAIL=" .. prefix .. id .. "%40example.com&PHONE=98" .. string.format("%08d", id) ..
    "&COUNTRYCODE=%2B91&PROJECT=Riverside+Gardens&LOCATION=Pune&SOURCE=WebSite&KEYWORD=3bhk&DOMAIN=https%3A%2F%2Fbench.example.com" ..
    "&PAGE_URL=https%3A%2F%2Fbench.example.com%2Friverside%3Futm_source%3Dgoogle&siteKey=bench&formId=enquiry" ..
    "&__visitor_id=v_" .. prefix .. id .. "&__pg_hp=&__pg_tts=34&__utm_source=google&__utm_medium=cpc"
  return wrk.format(nil, nil, nil, body)
end
