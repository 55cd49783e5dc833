import NIOCore
import NIOPosix
import Testing

@testable import AssayListening
@testable import AssayRPC

@Suite("Deadline timer")
struct DeadlineTimerTests {
    /// Timers of one loop; each notes its number when it fires.
    private final class Firing {
        let wheel: TimerWheel
        var deadlineTimers: [DeadlineTimer] = []
        var fired: [Int] = []

        init(_ loop: any EventLoop, _ promise: EventLoopPromise<[Int]>, until last: Int) {
            wheel = TimerWheel(loop: loop)
            for number in 0...last {
                deadlineTimers.append(DeadlineTimer(wheel))
                deadlineTimers[number].fire = { [unowned self] in
                    fired.append(number)
                    if number == last { promise.succeed(fired) }
                }
            }
        }
    }

    @Test("timers fire in the order of their instants, once, and not after they are cancelled")
    func order() async throws {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let promise = loop.makePromise(of: [Int].self)
        let firing = try await loop.submit {
            let firing = Firing(loop, promise, until: 5)
            let now = NIODeadline.now()
            for (number, wait) in [400, 100, 20, 20, 60, 200].enumerated() {
                firing.deadlineTimers[number].arm(now + .milliseconds(Int64(wait)))
            }
            // An earlier instant moves a timer, a later one does not, and one timer is cancelled.
            firing.deadlineTimers[0].arm(now + .milliseconds(150))
            firing.deadlineTimers[1].arm(now + .milliseconds(5000))
            firing.deadlineTimers[4].cancel()
            return NIOLoopBound(firing, eventLoop: loop)
        }.get()
        let fired = try await promise.futureResult.get()
        #expect(fired.sorted() == [0, 1, 2, 3, 5] && fired.suffix(3) == [1, 0, 5], "\(fired)")
        _ = firing
    }

    @Test("the heap returns numbers in order", arguments: [0, 1, 2, 3, 7, 100])
    func heap(_ count: Int) {
        let numbers = (0..<count).map { _ in Int64.random(in: -50...50) }
        var heap = MinimumHeap()
        for number in numbers { heap.insert(number) }
        var sorted: [Int64] = []
        while let lowest = heap.lowest {
            sorted.append(lowest)
            heap.removeLowest()
        }
        #expect(sorted == numbers.sorted())
    }
}
