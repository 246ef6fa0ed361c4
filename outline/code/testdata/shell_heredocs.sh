one() {
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
