package import AssayCore

/// The submissions of a device that are counted at one time.
package struct SubmissionCount: Hashable, Sendable {
    package let device: DeviceID
    /// Those that are counted: see ``SubmissionHours/counted(at:)``.
    package let hours: ClosedRange<Int64>
    package var count: Int64

    package init(of device: DeviceID, in hours: ClosedRange<Int64>, _ count: Int64) {
        (self.device, self.hours, self.count) = (device, hours, count)
    }
}

/// A cache of the numbers of submissions of devices, bounded by their size in bytes.
///
/// A transaction publishes each number as it left it, and not a difference: one that was read between commit and publication is right too. A
/// number holds for the hours that it was counted in: when the hour or the clock changes, it is read again. A commit does not go by it.
package final class SubmissionCache: Sendable {
    private let counts: ReadCache<DeviceID, SubmissionCount>

    package init(bytes: Int) {
        counts = ReadCache(bytes: bytes, spread: { $0.bytes.last ?? 0 }, weigh: { _ in 160 })
    }

    /// The number of submissions that are counted at `now`, if it is cached, and the epoch to pass to ``insert(_:readAfter:)`` if it is not.
    package func count(of device: DeviceID, at now: Timestamp) -> (count: Int64?, epoch: UInt64) {
        let (held, epoch) = counts.value(for: device)
        guard let held, held.hours == SubmissionHours.counted(at: now) else { return (nil, epoch) }
        return (held.count, epoch)
    }

    /// Caches a number that was read after `epoch`, unless a transaction was published since.
    package func insert(_ count: SubmissionCount, readAfter epoch: UInt64) {
        counts.insert(count, for: count.device, readAfter: epoch)
    }

    /// Applies the changes of a committed transaction, before its callers are answered.
    ///
    /// - Parameters:
    ///   - changed: the numbers after it, of the devices whose submissions it counted.
    ///   - removed: the devices whose submissions it removed.
    package func publish(_ changed: some Sequence<SubmissionCount>, removed: [DeviceID], othersWrote: Bool) {
        counts.publish(othersWrote: othersWrote)
        for device in removed { counts.remove(device) }
        for count in changed { counts.set(count, for: count.device) }
    }

    package func clear() { publish([], removed: [], othersWrote: true) }
}
