class A {
  one(x) {
    return /[`"'{]/.test(x)
  }
  *[Symbol.iterator]() {
    const y = x / 2, z = '/'
  }
  two() {}
}
