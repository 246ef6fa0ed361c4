class Store<T> {
  Store(this.a);
  Store.named({required this.a}) : super();
  factory Store.of(int a) => Impl(a);
  final x = f(1);
}
int add(int a) => a;
