package outline_test

import (
	"strings"
	"testing"
)

func TestOutlineTyped(t *testing.T) {
	checkDefinitions(t, []definitionCase{
		{"typescript", "a.ts", `declare global {
  interface Window { x: number }
}
export class A<T extends B<C>> {
  one<U>(a: U): void {
    global(1);
  }
  two<U extends () => void, V = Map<U, string>>(a: U): Map<U, V> {
  }
  static async three<
    U,
    V,
  >(a: U): Promise<[U, V]> {
  }
  type(x: string): this {
  }
}
interface D {
  get<T>(key: string): T;
}
`, `
1 declare global
2 interface Window
4 export class A<T extends B<C>>
5   one<U>(a: U): void
8   two<U extends () => void, V = Map<U, string>>(a: U): Map<U, V>
10   static async three< U, V, >(a: U): Promise<[U, V]>
15   type(x: string): this
18 interface D
19   get<T>(key: string): T
`},
		{"c#", "a.cs", `namespace N
{
    public class Store<T> : Base, IStore<T> where T : class
    {
        public async Task<T> GetAsync<T>(string key)
        {
        }
        public T Get<K, V>(K k) where K : A, B
        {
        }
        public Store(int a) : base(a, 1)
        {
        }
        public int Size => 3;
    }
}
`, `
1 namespace N
3 public class Store<T> : Base, IStore<T> where T : class
5   public async Task<T> GetAsync<T>(string key)
8   public T Get<K, V>(K k) where K : A, B
11   public Store(int a) : base(a, 1)
`},
		{"java", "A.java", `class A {
  int one() throws B, C {
  }
  public <T> Map<K, V> two(T a) throws B,
      C,
      D {
  }
  enum E {
    X(1), Y(2),
    Z(3) {
      void in() {}
    };
    E(int x) {}
  }
  void three(` + strings.Repeat("int argument,\n      ", 60) + `int last) {
  }
}
`, `
1 class A
2   int one() throws B, C
4   public <T> Map<K, V> two(T a) throws B, C, D
8   enum E
10     Z(3)
13     E(int x)
15   void three(int argument, int argument, int argument, int argument, int argument, int argument, int argument, int argument, int argument, int argument, int argum…
`},
		{"rust", "a.rs", `macro_rules! first {
    () => { fn no() {} };
}
#[macro_export]
macro_rules! second(
    () => {}
);
pub extern "C" fn one(a: i32) {
    fn inner() {}
}
pub unsafe extern "C" fn two() {}
extern "system" fn three() {}
extern "C" {
    fn four(a: i32);
}
unsafe extern "C"
{
    fn five(a: i32);
}
pub const unsafe fn six() {}
pub const MAX: u8 = 1;
extern crate core;
`, `
1 macro_rules! first
5 macro_rules! second
8 pub extern "C" fn one(a: i32)
11 pub unsafe extern "C" fn two()
12 extern "system" fn three()
14 fn four(a: i32)
18 fn five(a: i32)
20 pub const unsafe fn six()
21 pub const MAX: u8 = 1
`},
		{"c++", "a.cpp", `extern "C" int start(int a) {
  call(a);
}
struct V {
  V operator+(const V &o) const;
  bool operator==(const V &o) const = default;
  int &operator[](size_t i) { return x[i]; }
  void operator()(int a) const {}
  explicit operator bool() const { return true; }
  operator std::vector<int>() const;
  auto operator<=>(const V &) const = default;
  void *operator new[](size_t n);
  V &operator , (int);
};
std::ostream &operator<<(std::ostream &o, const V &v) {
}
V::operator bool() const {
}
bool operator<(const V &a, const V &b) { return a.operator+(b); }
template <typename T>
T operator""_km(T x) {
}
`, `
1 extern "C" int start(int a)
4 struct V
5   V operator+(const V &o) const
6   bool operator==(const V &o) const = default
7   int &operator[](size_t i)
8   void operator()(int a) const
9   explicit operator bool() const
10   operator std::vector<int>() const
11   auto operator<=>(const V &) const = default
12   void *operator new[](size_t n)
13   V &operator , (int)
15 std::ostream &operator<<(std::ostream &o, const V &v)
17 V::operator bool() const
19 bool operator<(const V &a, const V &b)
21 T operator""_km(T x)
`},
		{"names that are words elsewhere", "A.java", `class A {
  public void delete(int id) {
  }
  static <T> A of(T t) {
    return new A(t);
  }
  boolean lock() {
    synchronized (this) { }
  }
}
`, `
1 class A
2   public void delete(int id)
4   static <T> A of(T t)
7   boolean lock()
`},
		{"names that are words elsewhere, of a script", "a.js", `class A {
  delete(key) {
  }
  static of(x) {
  }
  return() { return new A(); }
  async catch(f) {
  }
}
B.prototype = {
  one: function (a) {
  },
}
var C = (function () {
  function C() {
  }
  C.prototype.two = function (a) {
  }
}());
`, `
1 class A
2   delete(key)
4   static of(x)
6   return()
7   async catch(f)
10 B.prototype
11   one: function (a)
14 var C = (function ()
15 function C()
17 C.prototype.two = function (a)
`},
		{"constructors in a header", "a.h", `namespace n {
template <typename T>
class Long:
  public First<T, ` + strings.Repeat("int, ", 40) + `int>,
  protected Second
{
public:
  Long(int a,
       int b)
      : a_(a), b_(b) {}
  Long() : a_(1), b_(2) {}
  bool lock() {
  }
  Long(char a) : a_(a),
    b_(b), c_(c) {}
  Long(long a) :
    b_(b) {}
  int (*pointer)(int a, int b);
};
Long::
size() const
{ }
}
`, `
1 namespace n
3 class Long
8   Long(int a, int b)
11   Long() : a_(1), b_(2)
12   bool lock()
14   Long(char a) : a_(a)
16   Long(long a)
21 size() const
`},
		{"a macro around a name", "a.c", `static int
TRANS(Open)(int a, int b)
{
  LOCK(a);
}
CHECK(a)
int main(void) {
}
`, `
2 TRANS(Open)(int a, int b)
7 int main(void)
`},
		{"php functions in conditions", "a.php", `<?php
if (!function_exists('one')) {
    function one($a) {
        if ($a) { function no() {} }
    }
} else {
    function two() {}
}
`, `
3 function one($a)
7 function two()
`},
	})
}
