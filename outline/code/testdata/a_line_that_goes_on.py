class A:
    def b(self):
        x = 1 + \
2
        def no(): pass
    def c(self): pass
