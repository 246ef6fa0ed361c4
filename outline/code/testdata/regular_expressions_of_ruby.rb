def one(x)
  return if /["']/ =~ x
  x / y
end
def ==(x)
end
def []=(x, y)
end
