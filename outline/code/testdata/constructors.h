#ifndef CONSTRUCTORS_H
#define CONSTRUCTORS_H

#ifdef __cplusplus
extern "C" {
#endif

#define LIMIT 3

namespace n {
template <typename T>
class Long:
  public First<T, int>,
  protected Second
{
public:
  Long(int a,
       int b)
      : a_(a), b_(b) {}
  Long() : a_(1), b_{2} {}
  virtual bool lock() const = 0;
  ~Long();
  int (*pointer)(int a, int b);
private:
  struct Inner { int x; };
};
}

typedef uint16_t Half;
typedef struct half Other;
typedef struct pair {
  int a;
} Pair;
struct later;
enum colour { RED, BLUE };
extern int open_it(const char *path, int flags) __attribute__((nonnull(1)));
API_FUNC(int) close_it(int fd);
static inline int twice(int a)
{
  return 2 * a;
}

#ifdef __cplusplus
}
#endif
#endif
