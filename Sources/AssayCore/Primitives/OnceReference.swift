public import Synchronization

/// A reference that is set once: of several threads that set it at the same time one does, and the others get its object.
///
/// It is `AtomicLazyReference` of the standard library, whose functions are not inlined in Swift 6.3: each look takes some 600 instructions there,
/// which look up generic types, and some ten here. `public` for the same reason.
///
/// Unchecked: a pointer is not `Sendable`. This one changes once, and what it points to is `Sendable`.
public struct OnceReference<Object: AnyObject & Sendable>: ~Copyable, @unchecked Sendable {
    @usableFromInline let pointer = Atomic<UnsafeRawPointer?>(nil)

    @inlinable
    public init() {}

    /// The object; `nil` before it is set.
    @inlinable
    public func load() -> Object? {
        guard let known = pointer.load(ordering: .acquiring) else { return nil }
        return Unmanaged<Object>.fromOpaque(known).takeUnretainedValue()
    }

    /// Sets the object, unless there is one. Returns the one that there is then.
    @inlinable
    public func storeIfNil(_ object: Object) -> Object {
        let own = Unmanaged.passRetained(object)
        let (isStored, known) = pointer.compareExchange(
            expected: nil, desired: UnsafeRawPointer(own.toOpaque()), ordering: .acquiringAndReleasing)
        guard !isStored, let known else { return object }
        own.release()
        return Unmanaged<Object>.fromOpaque(known).takeUnretainedValue()
    }

    @inlinable
    deinit {
        guard let known = pointer.load(ordering: .acquiring) else { return }
        Unmanaged<Object>.fromOpaque(known).release()
    }
}
