import AssayFramedRPC
import AssayRPC

/// What a method bears.
enum Idempotency: Sendable {
    /// Doing it twice is as good as once: it only reads, writes nothing, or goes under an idempotency key.
    case idempotent
    /// It may be tried again only where it was certainly not begun.
    case notIdempotent

    /// Whether trying again is safe after `error`, and may help.
    func allowsRetry(after error: RPCError) -> Bool {
        guard !error.isOfTheClient else { return false }
        switch error.code {
        case .unavailable, .resourceExhausted: return self == .idempotent || error.wasNotBegun
        default: return false
        }
    }
}
