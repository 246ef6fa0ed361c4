extern int dprintf (int fd, const char *fmt, ...)
     __THROWNL __attribute__ ((__format__ (__printf__, 2, 3)));
extern int vdprintf (int fd, const char *fmt,
		     va_list arg)
     __THROWNL __attribute__ ((__format__ (__printf__, 2, 0)));
extern int pclose (FILE *f) __THROW
     __nonnull ((1));
__attribute__ ((noreturn, cold)) void
die (int code);
__attribute__ ((noreturn)) void fail (int code);
static int
qux(int a);
extern void *again (void *ptr, size_t n)
     __THROW __attribute_warn_unused_result__
     __attribute_alloc_size__ ((2, 3))
    __attr_dealloc_free;
int last(void);
