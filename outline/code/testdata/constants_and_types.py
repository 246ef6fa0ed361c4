MAX: Final[int] = 3
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
