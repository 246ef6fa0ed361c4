@Composable fun One() {
}
@file:JvmName("x") fun two() {
}
class A {
    constructor(a: Int) : this() {
    }
}
