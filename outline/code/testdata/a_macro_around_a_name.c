static int
TRANS(Open)(int a, int b)
{
  LOCK(a);
}
CHECK(a)
int main(void) {
}
