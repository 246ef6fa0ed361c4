package summarize_test

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
13     class << self
14       def open(a, b)
19     def text
24     private def hidden(x) = x << y
`},
	})
}
