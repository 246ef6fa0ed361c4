if true; then
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
