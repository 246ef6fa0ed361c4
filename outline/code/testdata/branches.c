/* Moves rows. */

#include <stdio.h>

#define MAX(a, b) \
  ((a) > (b) ? (a) : (b))

#if defined(A)
int one(int a) {
#else
int one(void) {
#endif
  return call(1);
}

static const struct table all[] = { { 1 }, { 2 } };
int proto(void);

struct node *next(struct node *n)
{
  if (n) {
#ifdef B
  } else {
#endif
  }
  return n;
}

int
main(int argc, char **argv)
{
  return 0;
}
