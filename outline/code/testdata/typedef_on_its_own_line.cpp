typedef
  std::map<int, int>
  Map;
int f() {
}
