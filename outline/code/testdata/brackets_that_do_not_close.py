x = foo((1,
def a():
    pass

class B:
    def c(self): pass
