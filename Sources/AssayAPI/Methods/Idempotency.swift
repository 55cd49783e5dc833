/// Whether a method is safe to retry.
package enum Idempotency: Hashable, Sendable {
    /// A second call changes nothing more than the first: the method only reads, or sets what is already set.
    case idempotent
    /// Idempotent if the request carries an idempotency key, otherwise not.
    case idempotentWithKey
    /// A second call may do more, or answer differently. It is safe only if the daemon certainly did not begin the first.
    case notIdempotent

    /// Whether a call may be repeated that the daemon has possibly begun.
    ///
    /// - Parameter hasKey: the request carries an idempotency key.
    package func allowsRepeating(hasKey: Bool) -> Bool {
        switch self {
        case .idempotent: true
        case .idempotentWithKey: hasKey
        case .notIdempotent: false
        }
    }
}
