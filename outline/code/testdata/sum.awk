# Adds a column.

function add(a, b) {
  return a + b
}
BEGIN { x = 1 }
