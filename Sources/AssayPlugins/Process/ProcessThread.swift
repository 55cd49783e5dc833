import CPluginProcess
import Foundation
import Glibc
import Synchronization

/// The thread that starts the processes of plugins, reads what they write, and learns of their ends. There is one, and it ends only with
/// the daemon: the kernel kills a plugin when the thread that started it ends.
final class ProcessThread: Sendable {
    static let shared = ProcessThread()

    /// Work for the thread. It must not block.
    typealias Work = @Sendable (Watches) -> Void

    private let inbox = Mutex<[Work]>([])
    /// An event descriptor; negative if the process had no descriptor left: then the thread looks for work by the clock.
    private let wake: CInt

    private init() {
        wake = assay_event_descriptor()
        let thread = Thread { [self] in
            let watches = Watches()
            while true { turn(watches) }
        }
        thread.name = "plugins"
        thread.start()
    }

    /// Runs work on the thread, soon.
    func run(_ work: @escaping Work) {
        inbox.withLock { $0.append(work) }
        var one: UInt64 = 1
        _ = Glibc.write(wake, &one, MemoryLayout<UInt64>.size)
    }

    private func turn(_ watches: Watches) {
        // poll steps over a negative descriptor.
        let ready = watches.wait(also: wake, milliseconds: wake < 0 ? 50 : -1)
        if ready.contains(wake) {
            var count: UInt64 = 0
            _ = Glibc.read(wake, &count, MemoryLayout<UInt64>.size)
        }
        for work in inbox.withLock({ inbox in
            defer { inbox = [] }
            return inbox
        }) { work(watches) }
        watches.call(ready)
    }
}

/// The descriptors that the thread waits for. Used on the thread only.
final class Watches {
    /// Called when the descriptor can be read, or has ended. False: it is not watched any longer.
    typealias Handler = () -> Bool

    private var handlers: [CInt: Handler] = [:]

    /// - Parameter handler: must not block. It closes the descriptor before it returns false.
    func watch(_ descriptor: CInt, _ handler: @escaping Handler) { handlers[descriptor] = handler }

    fileprivate func wait(also wake: CInt, milliseconds: CInt) -> Set<CInt> {
        var polls = ([wake] + handlers.keys).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        guard poll(&polls, nfds_t(polls.count), milliseconds) > 0 else { return [] }
        return Set(polls.lazy.filter { $0.revents != 0 }.map(\.fd))
    }

    /// A number that belongs to another descriptor since the wait is called once too often: its handler finds nothing to read.
    fileprivate func call(_ ready: Set<CInt>) {
        for descriptor in ready {
            guard let handler = handlers[descriptor], !handler() else { continue }
            handlers[descriptor] = nil
        }
    }
}
