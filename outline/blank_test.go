package outline_test

import "testing"

func TestOutlineScripts(t *testing.T) {
	checkDefinitions(t, []definitionCase{
		{"shell heredocs", "a.sh", `one() {
  cat <<'eof'
fake() {
it's
eof
}
two() {
	cat <<-EOF2 | sed x
	fake2() { '
	EOF2
}
n=$((1<<n))
three() { cat <<<word; }
(( x = 1 << eol ))
cat << "end of it"
fake3() {
end of it
four() { cat <<\x.1
fake4() {
x.1
}
`, `
1 one()
7 two()
13 three()
18 four()
`},
		{"shell functions in conditions", "a.sh", `if true; then
  quick() {
    inner() { :; }
  }
  function other {
    :
  }
elif x; then
  my-func () { :; }
fi
top() {
    cat <<EOF
text
EOF
    inner() { :; }
}
`, `
2 quick()
5 function other
9 my-func ()
11 top()
`},
		{"ruby", "a.rb", `# Holds things.
=begin
def no
end
class No
=end

module A
  class B < C
    SQL = <<~sql
def no
    sql
    class << self
      def open(a,
               b)
      end
    end

    def text
      x <<EOS
def no2
EOS
    end
    private def hidden(x) = x << y
  end
end
`, `
about: Holds things.
8 module A
9   class B < C
10     SQL = <<~sql
13     class << self
14       def open(a, b)
19     def text
24     private def hidden(x) = x << y
`},
		{"lua", "a.lua", `--[==[ About
function no() ]]
]==]
local s = [[
function no2()
]]
function M.open(a,
  b)
end
local t = {[x[1]] = "it's"} -- it's
function last() end
`, `
7 function M.open(a, b)
11 function last() end
`},
		{"perl", "a.pl", `#!/usr/bin/perl
package A;
=head1 NAME

sub no { it's }

=cut
sub one {
  print <<"END", 1 << 2;
sub no2 {
END
}
sub two {}
call(
sub {
},
sub ($) {
});
__END__
sub no3 {}
`, `
2 package A
3 =head1 NAME — sub no { it's }
8 sub one
13 sub two
`},
		{"quotes in a shell", "a.sh", `one() {
  echo it\'s '\' $'\''
}
two() {
  echo 1'
three() {
'
}
`, `
1 one()
4 two()
`},
		{"regular expressions of ruby", "a.rb", `def one(x)
  return if /["']/ =~ x
  x / y
end
def ==(x)
end
def []=(x, y)
end
`, `
1 def one(x)
5 def ==(x)
7 def []=(x, y)
`},
		{"elixir and julia", "a.ex", `defmodule A do
  def open(
    a
  ) do
    def no, do: 1
  end
  defguard is_x(a) when a > 1
end
`, `
1 defmodule A do
2   def open( a ) do
7   defguard is_x(a) when a > 1
`},
	})
}
