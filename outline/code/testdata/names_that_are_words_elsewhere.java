class A {
  public void delete(int id) {
  }
  static <T> A of(T t) {
    return new A(t);
  }
  boolean lock() {
    synchronized (this) { }
  }
}
