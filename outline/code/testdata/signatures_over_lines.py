class Client(
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
