package import NIOCore
import Synchronization

/// The timers of a server's connections, those of each event loop together.
package final class TimerWheels: Sendable {
    private let wheels = Mutex<[ObjectIdentifier: NIOLoopBound<TimerWheel>]>([:])

    package init() {}

    /// Those of an event loop. Called on that loop only.
    package func wheel(of loop: any EventLoop) -> TimerWheel {
        let wheel = wheels.withLock { wheels in
            let wheel = wheels[ObjectIdentifier(loop)] ?? NIOLoopBound(TimerWheel(loop: loop), eventLoop: loop)
            wheels[ObjectIdentifier(loop)] = wheel
            return wheel
        }
        return wheel.value
    }
}
