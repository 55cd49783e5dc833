import Synchronization

/// The bound on what all calls hold: the number of calls in flight, and the bytes of calls and of requests that have arrived in
/// part. It also bounds the calls of one caller.
///
/// The last sixteenth of the calls and of the bytes is reserved for callers that hold little, so a caller that takes as much as it
/// can leaves some for the others.
package final class Admission: Sendable {
    /// Calls and bytes that a caller takes or gives back together.
    package struct Share: Hashable, Sendable {
        package var calls = 0
        package var bytes = 0

        package init(calls: Int = 0, bytes: Int = 0) { (self.calls, self.bytes) = (calls, bytes) }
    }

    package enum Refusal: Sendable {
        /// The caller has as many calls in flight as one caller may have.
        case callerIsFull
        /// Everything is taken, or all but the reserved part.
        case full
    }

    /// One part in this many is reserved for callers that hold little.
    static let reservedPart = 16
    /// A caller holds little below one part in this many: 64 calls and 4 MiB of the defaults.
    static let smallPart = 64

    private let all: Share
    /// All but the reserved part.
    private let general: Share
    private let small: Share
    private let maxCallsPerCaller: Int
    /// A ``Share``, packed.
    private let taken = Atomic(0)

    init(_ limits: CallLimits) {
        all = Share(calls: limits.maxInFlightTotal, bytes: limits.maxHeldBytesTotal)
        general = Share(calls: all.calls - all.calls / Self.reservedPart, bytes: all.bytes - all.bytes / Self.reservedPart)
        small = Share(calls: max(1, all.calls / Self.smallPart), bytes: max(1, all.bytes / Self.smallPart))
        maxCallsPerCaller = limits.maxInFlightPerCaller
    }

    /// The calls and bytes that all callers hold now.
    var held: Share { Share(packed: taken.load(ordering: .relaxed)) }

    /// Takes a share for a caller; takes nothing if the result is not nil.
    package func admit(_ share: Share, for caller: CallerUsage) -> Refusal? {
        let own = Share(packed: caller.held.wrappingAdd(share.packed, ordering: .relaxed).oldValue)
        let total = Share(packed: taken.wrappingAdd(share.packed, ordering: .relaxed).newValue)
        let limit = own.calls < small.calls && own.bytes < small.bytes ? all : general
        guard own.calls + share.calls <= maxCallsPerCaller || share.calls == 0 else {
            release(share, of: caller)
            return .callerIsFull
        }
        guard total.calls <= limit.calls || share.calls == 0, total.bytes <= limit.bytes || share.bytes == 0 else {
            release(share, of: caller)
            return .full
        }
        return nil
    }

    package func release(_ share: Share, of caller: CallerUsage) {
        guard share != Share() else { return }
        caller.held.wrappingSubtract(share.packed, ordering: .relaxed)
        taken.wrappingSubtract(share.packed, ordering: .relaxed)
    }
}

extension Admission.Share {
    /// Bytes are below 2^40, those about to be refused included, and calls below 2^23: one atomic addition counts both.
    private static let byteBits = 40

    fileprivate var packed: Int { calls << Self.byteBits + bytes }

    fileprivate init(packed: Int) {
        self.init(calls: packed >> Self.byteBits, bytes: packed & (1 << Self.byteBits - 1))
    }
}

/// The bounds on the calls of all fronts together.
package struct CallLimits: Hashable, Sendable {
    /// Calls of one caller in flight, on all its connections. Beyond it: RESOURCE_EXHAUSTED, `too_many_calls`. The default is half
    /// of ``maxInFlightTotal``.
    package var maxInFlightPerCaller = 2048
    /// Calls in flight. Beyond it: RESOURCE_EXHAUSTED, `overloaded`. The last sixteenth is reserved for callers with few calls. The
    /// default is 200 ms of work at 20,000 verdicts a second.
    package var maxInFlightTotal = 4096
    /// Bytes of all calls in flight, and of requests that have arrived in part. Beyond it a call is answered `overloaded`. The last
    /// sixteenth is reserved for callers that hold little.
    package var maxHeldBytesTotal = 256 << 20
    /// How long a call without a deadline may be expected to wait for its turn. Beyond it: RESOURCE_EXHAUSTED, `overloaded`.
    package var maxWait = Duration.seconds(10)

    package init() {}
}

/// The calls and bytes that one caller holds, over all its connections and fronts. It lives as long as a connection of the caller, or
/// a call that its handler has not released, so reconnecting does not reset it.
package final class CallerUsage: Sendable {
    package let identity: PeerIdentity
    /// An ``Admission/Share``, packed.
    let held = Atomic(0)
    private let register: CallerRegister

    fileprivate init(_ identity: PeerIdentity, in register: CallerRegister) {
        (self.identity, self.register) = (identity, register)
    }

    deinit { register.forget(identity) }
}

/// The callers with an open connection or a call in flight.
package final class CallerRegister: Sendable {
    private struct Entry { weak var usage: CallerUsage? }

    private let entries = Mutex<[PeerIdentity: Entry]>([:])

    init() {}

    var count: Int { entries.withLock { $0.count } }

    package func usage(of identity: PeerIdentity) -> CallerUsage {
        entries.withLock { entries in
            if let usage = entries[identity]?.usage { return usage }
            let usage = CallerUsage(identity, in: self)
            entries[identity] = Entry(usage: usage)
            return usage
        }
    }

    /// Removes the entry of a usage that ended, unless a newer one has the same identity.
    fileprivate func forget(_ identity: PeerIdentity) {
        // The load makes a strong reference, which may be the last one; it is released after the lock.
        let living = entries.withLock { entries -> CallerUsage? in
            let usage = entries[identity]?.usage
            if usage == nil { entries[identity] = nil }
            return usage
        }
        withExtendedLifetime(living) {}
    }
}
