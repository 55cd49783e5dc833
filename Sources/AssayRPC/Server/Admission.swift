import Synchronization

/// The daemon-wide bound on what is held for peers: calls in flight, and the bytes of calls and of partial frames.
final class Admission: Sendable {
    /// A part of the bound that someone holds.
    struct Share: Hashable, Sendable {
        var calls = 0
        var bytes = 0
    }

    private let maxCalls: Int
    private let maxBytes: Int
    private let calls = Atomic(0)
    private let bytes = Atomic(0)

    init(_ limits: RPCLimits) { (maxCalls, maxBytes) = (limits.maxInFlightTotal, limits.maxHeldBytesTotal) }

    /// What is held now.
    var held: Share { Share(calls: calls.load(ordering: .relaxed), bytes: bytes.load(ordering: .relaxed)) }

    /// Takes a share, or nothing if it does not fit.
    func admit(_ share: Share) -> Bool {
        let total = Share(
            calls: calls.wrappingAdd(share.calls, ordering: .relaxed).newValue,
            bytes: bytes.wrappingAdd(share.bytes, ordering: .relaxed).newValue)
        guard total.calls > maxCalls || total.bytes > maxBytes else { return true }
        release(share)
        return false
    }

    func release(_ share: Share) {
        if share.calls != 0 { calls.wrappingSubtract(share.calls, ordering: .relaxed) }
        if share.bytes != 0 { bytes.wrappingSubtract(share.bytes, ordering: .relaxed) }
    }
}
