extern "C" int start(int a) {
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
