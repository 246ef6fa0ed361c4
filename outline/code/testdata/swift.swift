struct A {
    init?(b: String) { return nil }
    static func == (a: A, b: A) -> Bool { true }
}
