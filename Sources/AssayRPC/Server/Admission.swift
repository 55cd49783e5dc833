import Synchronization

/// The daemon-wide bound on what is held for peers: calls in flight, and the bytes of calls and of partial frames; and how much
/// of it one caller may have.
///
/// The last sixteenth of the calls and of the bytes is kept for callers that hold little, so that a caller that takes all it can
/// get leaves room for the others.
final class Admission: Sendable {
    /// A part of the bound that someone holds.
    struct Share: Hashable, Sendable {
        var calls = 0
        var bytes = 0
    }

    enum Refusal: Sendable {
        /// The caller has as many calls in flight as one caller may have.
        case callerIsFull
        /// There is no room, or none but what is kept for others.
        case full
    }

    /// The part of the whole that is kept for callers that hold little.
    static let keptPart = 16
    /// A caller holds little below this part of the whole: 64 calls and 4 MiB of the defaults.
    static let smallPart = 64

    private let all: Share
    /// Without what is kept.
    private let general: Share
    private let small: Share
    private let maxCallsPerCaller: Int
    /// A ``Share``, packed.
    private let taken = Atomic(0)

    init(_ limits: RPCLimits) {
        all = Share(calls: limits.maxInFlightTotal, bytes: limits.maxHeldBytesTotal)
        general = Share(calls: all.calls - all.calls / Self.keptPart, bytes: all.bytes - all.bytes / Self.keptPart)
        small = Share(calls: max(1, all.calls / Self.smallPart), bytes: max(1, all.bytes / Self.smallPart))
        maxCallsPerCaller = limits.maxInFlightPerCaller
    }

    /// What is held now.
    var held: Share { Share(packed: taken.load(ordering: .relaxed)) }

    /// Takes a share for a caller, or nothing if it does not fit.
    func admit(_ share: Share, for caller: CallerUsage) -> Refusal? {
        let own = Share(packed: caller.held.wrappingAdd(share.packed, ordering: .relaxed).oldValue)
        let total = Share(packed: taken.wrappingAdd(share.packed, ordering: .relaxed).newValue)
        let room = own.calls < small.calls && own.bytes < small.bytes ? all : general
        guard own.calls + share.calls <= maxCallsPerCaller || share.calls == 0 else {
            release(share, of: caller)
            return .callerIsFull
        }
        guard total.calls <= room.calls || share.calls == 0, total.bytes <= room.bytes || share.bytes == 0 else {
            release(share, of: caller)
            return .full
        }
        return nil
    }

    func release(_ share: Share, of caller: CallerUsage) {
        guard share != Share() else { return }
        caller.held.wrappingSubtract(share.packed, ordering: .relaxed)
        taken.wrappingSubtract(share.packed, ordering: .relaxed)
    }
}

extension Admission.Share {
    /// Bytes are at most 2^40 with what is about to be refused, and calls 2^23: one atomic addition counts both.
    private static let byteBits = 40

    fileprivate var packed: Int { calls << Self.byteBits + bytes }

    fileprivate init(packed: Int) {
        self.init(calls: packed >> Self.byteBits, bytes: packed & (1 << Self.byteBits - 1))
    }
}
