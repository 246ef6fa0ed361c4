package outline_test

import "testing"

func TestOutlineBraces(t *testing.T) {
	checkDefinitions(t, []definitionCase{
		{"marks on the same line", "a.kt", `@Composable fun One() {
}
@file:JvmName("x") fun two() {
}
class A {
    constructor(a: Int) : this() {
    }
}
`, `
1 @Composable fun One()
3 @file:JvmName("x") fun two()
5 class A
6   constructor(a: Int) : this()
`},
		{"swift", "a.swift", `struct A {
    init?(b: String) { return nil }
    static func == (a: A, b: A) -> Bool { true }
}
`, `
1 struct A
2   init?(b: String)
3   static func == (a: A, b: A) -> Bool
`},
		{"scala", "a.scala", `package a.b
package object c {
  def +(o: A): A = {
    def no = 1
  }
  @main def run(): Unit = {
  }
}
`, `
2 package object c
3   def +(o: A): A
6   @main def run(): Unit
`},
		{"php among html", "a.php", `<p>it's { </p>
<?php // it's ?>
<b>it's</b>
<?php
function &one() {
    if ($x) { ?>
    <p>it's { </p>
    <?php }
}
function two() {}
?>
it's {
function no() {
`, `
5 function &one()
10 function two()
`},
		{"objective-c", "a.m", `@interface Foo : NSObject <Bar>
- (void)run:(int)a with:(NSString *)b;
@end
@implementation Foo
- (void)run:(int)a
       with:(NSString *)b {
    int x = 1;
}
+ (id)shared
{
}
static int helper(int a) {
}
@end
`, `
1 @interface Foo : NSObject <Bar>
2   - (void)run:(int)a with:(NSString *)b
4 @implementation Foo
5   - (void)run:(int)a
9   + (id)shared
12 static int helper(int a)
`},
		{"dart", "a.dart", `class Store<T> {
  Store(this.a);
  Store.named({required this.a}) : super();
  factory Store.of(int a) => Impl(a);
  final x = f(1);
}
int add(int a) => a;
`, `
1 class Store<T>
2   Store(this.a)
3   Store.named({required this.a}) : super()
4   factory Store.of(int a) => Impl(a)
7 int add(int a) => a
`},
		{"zig", "a.zig", "const s =\n    \\\\fn no() { \"\n;\nfn last() void {}\n", `
1 const s
4 fn last() void
`},
		{"regular expressions", "a.js", "class A {\n  one(x) {\n    return /[`\"'{]/.test(x)\n  }\n  *[Symbol.iterator]() {\n    const y = x / 2, z = '/'\n  }\n  two() {}\n}\n", `
1 class A
2   one(x)
5   *[Symbol.iterator]()
8   two()
`},
		{"braces in type parameters", "a.ts", `export abstract class Repo<T extends { id: string }, K = keyof T>
  extends Base<{ a: T }> {
  one(): { a: string } {
  }
}
interface After { a: string }
`, `
1 export abstract class Repo<T extends { id: string }, K = keyof T> extends Base<{ a: T }>
3   one()
6 interface After
`},
		{"a comment above marks", "a.cs", `/// <summary>
/// A store
/// </summary>
[Route(
    "x"
)]
[Other]
public class A
{
    // One.
    [Get] public void One() { }
    int x = 1;
    public void Two() { }
}
`, `
8 public class A — A store
11   [Get] public void One() — One.
13   public void Two()
`},
		{"a program in an argument", "a.js", `( function( global, factory ) {
  factory( global );
} )( typeof window !== "undefined" ? window : this, function( window ) {
function one() {
  return { a: 1 };
}
one.two = function () {};
var
  three = 3,
  four = 4;
} );
`, `
4 function one()
7 one.two = function ()
8 var three = 3
`},
		{"typedef on its own line", "a.cpp", `typedef
  std::map<int, int>
  Map;
int f() {
}
`, `
1 typedef std::map<int, int>
4 int f()
`},
		{"parameters declared below", "a.c", `int proto(int a)
  NORETURN;
int one(a, b)
  int a;
  char *b;
{
}
int two(void)
{
}
`, `
3 int one(a, b)
8 int two(void)
`},
	})
}
