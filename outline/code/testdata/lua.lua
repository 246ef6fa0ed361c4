--[==[ About
function no() ]]
]==]
local s = [[
function no2()
]]
function M.open(a,
  b)
end
local t = {[x[1]] = "it's"} -- it's
function last() end
