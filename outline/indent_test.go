package outline_test

import "testing"

func TestOutlinePython(t *testing.T) {
	checkDefinitions(t, []definitionCase{
		{"signatures over lines", "a.py", `class Client(
    Base,
):
    """A client."""

    def open(
        self,
        path,
    ):
        def inner():
            pass

    @property
    async def last(self, *,
                   x=[
    1,
]):
        x = [
    2,
]
        def inner():
            pass

def free(
    a,
) -> int:
    def inner():
        pass
`, `
1 class Client( Base, ) — A client.
6   def open( self, path, )
14   async def last(self, *, x=[ 1, ])
24 def free( a, ) -> int
`},
		{"brackets that do not close", "a.py", "x = foo((1,\ndef a():\n    pass\n\nclass B:\n    def c(self): pass\n", `
2 def a()
5 class B
6   def c(self): pass
`},
		{"a line that goes on", "a.py", "class A:\n    def b(self):\n        x = 1 + \\\n2\n        def no(): pass\n    def c(self): pass\n", `
1 class A
2   def b(self)
6   def c(self): pass
`},
		{"constants and types", "a.py", `MAX: Final[int] = 3
MIN: int
Name = 1
lower: int = 2
OTHER = (
    1,
)
type Pair[T] = tuple[T, T]
type = 3
if type (x) == 1:
    pass
else:
    pass
def f(): pass
`, `
1 MAX: Final[int] = 3
2 MIN: int
5 OTHER = ( 1, )
8 type Pair[T] = tuple[T, T]
14 def f(): pass
`},
	})
}
