extension Sequence where Element == [UInt8] {
    /// The bytes of all elements, in order.
    ///
    /// Each element is copied as a whole. `joined()` takes one byte at a time where it is not specialised, as in debug builds.
    public var concatenated: [UInt8] { reduce(into: []) { $0.append(contentsOf: $1) } }
}
