import NIOCore

/// One timer of one connection, set to the earliest instant that was asked for. Used on its event loop only.
///
/// A connection with nothing to wait for costs nothing; one whose calls all have later deadlines than the timer costs nothing
/// per call. An instant up to ``resolution`` before the timer's does not move it: that is how late an alarm may be.
final class Alarm {
    static let resolution = TimeAmount.milliseconds(5)

    /// Looks what is due, does it, and arms the alarm for the rest.
    var fire: () -> Void = {}

    private let loop: any EventLoop
    private var timer: (due: NIODeadline, scheduled: Scheduled<Void>)?

    init(loop: any EventLoop) { self.loop = loop }

    /// Calls ``fire`` at `due` or earlier.
    func arm(_ due: NIODeadline) {
        if let timer {
            guard due < timer.due - Self.resolution else { return }
            timer.scheduled.cancel()
        }
        let scheduled = loop.assumeIsolated().scheduleTask(deadline: due) { [weak self] in
            self?.timer = nil
            self?.fire()
        }
        timer = (due, scheduled)
    }

    /// Stops for good, and lets go of what ``fire`` holds.
    func cancel() {
        fire = {}
        timer?.scheduled.cancel()
        timer = nil
    }
}
