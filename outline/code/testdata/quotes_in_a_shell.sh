one() {
  echo it\'s '\' $'\''
}
two() {
  echo 1'
three() {
'
}
