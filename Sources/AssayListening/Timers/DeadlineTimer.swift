package import NIOCore

/// The timer of one connection, set to the earliest instant that was asked for. Used on its event loop only.
///
/// A timer that is not set costs nothing, and a deadline later than the timer's costs nothing either. An earlier instant moves the
/// timer only if it is more than ``resolution`` earlier; a timer may fire late by twice that.
package final class DeadlineTimer {
    package static let resolution = TimeAmount.milliseconds(5)

    /// Does what is due, and arms the timer for the rest.
    package var fire: () -> Void = {}

    private let wheel: TimerWheel
    private var set: (due: NIODeadline, slot: Int64)?

    package init(_ wheel: TimerWheel) { self.wheel = wheel }

    /// Calls ``fire`` at `due` or earlier.
    package func arm(_ due: NIODeadline) {
        if let set {
            guard due < set.due - Self.resolution else { return }
            wheel.remove(self, from: set.slot)
        }
        set = (due, wheel.add(self, at: due))
    }

    /// Stops for good, and releases what ``fire`` holds.
    package func cancel() {
        fire = {}
        if let set { wheel.remove(self, from: set.slot) }
        set = nil
    }

    /// Called by the wheel, which has removed the timer.
    fileprivate func expire() {
        set = nil
        fire()
    }
}

/// The timers of all connections of one event loop. Setting and cancelling a timer costs the same however many there are. Cancelling
/// one of an event loop's own timers is a linear search, which with thousands of idle connections would slow down every answer.
///
/// Time is cut into slots of ``DeadlineTimer/resolution``; the timers of a slot fire together at its end, by one timer of the loop.
package final class TimerWheel {
    private let loop: any EventLoop
    /// Timers by slot. A slot that became empty stays until its time.
    private var slots: [Int64: [ObjectIdentifier: DeadlineTimer]] = [:]
    /// The numbers of the slots, the lowest first.
    private var order = MinimumHeap()
    private var timer: (slot: Int64, scheduled: Scheduled<Void>)?

    package init(loop: any EventLoop) { self.loop = loop }

    fileprivate func add(_ deadlineTimer: DeadlineTimer, at due: NIODeadline) -> Int64 {
        // What is due already waits for the next slot: a timer that is set again and again in the past would keep the loop from everything else.
        let slot = Self.slot(of: max(due, .now()))
        if slots[slot] == nil { order.insert(slot) }
        slots[slot, default: [:]][ObjectIdentifier(deadlineTimer)] = deadlineTimer
        wait()
        return slot
    }

    private static func slot(of due: NIODeadline) -> Int64 {
        Int64(clamping: due.uptimeNanoseconds) / DeadlineTimer.resolution.nanoseconds
    }

    fileprivate func remove(_ deadlineTimer: DeadlineTimer, from slot: Int64) {
        slots[slot]?[ObjectIdentifier(deadlineTimer)] = nil
    }

    /// Sets the loop's timer to the end of the first slot.
    private func wait() {
        guard let first = order.lowest else { return }
        if let timer {
            guard first < timer.slot else { return }
            timer.scheduled.cancel()
        }
        let end = NIODeadline.uptimeNanoseconds(UInt64(clamping: (first + 1) * DeadlineTimer.resolution.nanoseconds))
        let scheduled = loop.assumeIsolated().scheduleTask(deadline: end) { [weak self] in
            self?.timer = nil
            self?.expire()
        }
        timer = (first, scheduled)
    }

    private func expire() {
        let now = Self.slot(of: .now())
        while let first = order.lowest, first < now {
            order.removeLowest()
            for deadlineTimer in (slots.removeValue(forKey: first) ?? [:]).values { deadlineTimer.expire() }
        }
        wait()
    }
}

/// A binary heap of numbers, the lowest first.
struct MinimumHeap {
    private var numbers: [Int64] = []

    var lowest: Int64? { numbers.first }

    mutating func insert(_ number: Int64) {
        numbers.append(number)
        var child = numbers.count - 1
        while child > 0, numbers[child] < numbers[(child - 1) / 2] {
            numbers.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    mutating func removeLowest() {
        guard let last = numbers.popLast(), !numbers.isEmpty else { return }
        numbers[0] = last
        var parent = 0
        while true {
            let children = (2 * parent + 1)..<min(2 * parent + 3, max(numbers.count, 2 * parent + 1))
            guard let least = children.min(by: { numbers[$0] < numbers[$1] }), numbers[least] < numbers[parent] else { return }
            numbers.swapAt(least, parent)
            parent = least
        }
    }
}
