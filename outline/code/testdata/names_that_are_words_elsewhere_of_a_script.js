class A {
  delete(key) {
  }
  static of(x) {
  }
  return() { return new A(); }
  async catch(f) {
  }
}
B.prototype = {
  one: function (a) {
  },
}
var C = (function () {
  function C() {
  }
  C.prototype.two = function (a) {
  }
}());
