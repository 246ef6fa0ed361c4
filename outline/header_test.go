package outline_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/outline"
)

func TestOutlineHeaders(t *testing.T) {
	checkDefinitions(t, []definitionCase{
		{"attributes below a prototype", "a.h", `extern int dprintf (int fd, const char *fmt, ...)
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
`, `
1 extern int dprintf (int fd, const char *fmt, ...)
3 extern int vdprintf (int fd, const char *fmt, va_list arg)
6 extern int pclose (FILE *f) __THROW
9 die (int code)
10 __attribute__ ((noreturn)) void fail (int code)
12 qux(int a)
13 extern void *again (void *ptr, size_t n)
17 int last(void)
`},
	})
}

// What a typedef names is its last word.
func TestOutlineShortTypedef(t *testing.T) {
	var b strings.Builder
	for i := range 40 {
		fmt.Fprintf(&b, "typedef uint16_t Elf_Half%d;\ntypedef struct half%d Half%d;\n", i, i, i)
	}
	for _, path := range []string{"a.h", "a.c", "a.cc"} {
		checkOutline(t, path, b.String(), 600)
		text := outline.Text(path, b.String(), 0)
		for _, want := range []string{"\n1 typedef uint16_t Elf_Half0\n", "\n80 typedef struct half39 Half39"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: %q is not in\n%s", path, want, text)
			}
		}
	}
}
