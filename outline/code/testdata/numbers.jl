module Numbers

const MOST = 3

"Adds."
function add(a,
             b)
    function inner() end
end

abstract type Shape end
mutable struct Point
    x
end
macro twice(x) end
end
