import AssayCore

/// A value that follows from what never changes. It is computed at its first use; threads that use it first at the same time may each compute it.
struct ComputedOnce<Value: Sendable>: ~Copyable, Sendable {
    // Not private: where files are compiled one by one, others destroy it by functions that are inlined, and Swift 6.3 fails to compile those.
    final class Box: Sendable {
        let value: Value
        init(_ value: Value) { self.value = value }
    }

    private let box = OnceReference<Box>()

    /// The value, if it was computed.
    var known: Value? { box.load()?.value }

    func keep(_ value: Value) -> Value { box.storeIfNil(Box(value)).value }
}
