import NIOCore
import NIOPosix
import Testing

@testable import AssayRPC

@Suite("Alarm")
struct DeadlineTimerTests {
    /// Alarms of one loop, each of which notes its number when it rings.
    private final class Ringing {
        let clock: TimerWheel
        var deadlineTimers: [DeadlineTimer] = []
        var rung: [Int] = []

        init(_ loop: any EventLoop, _ promise: EventLoopPromise<[Int]>, until last: Int) {
            clock = TimerWheel(loop: loop)
            for number in 0...last {
                deadlineTimers.append(DeadlineTimer(clock))
                deadlineTimers[number].fire = { [unowned self] in
                    rung.append(number)
                    if number == last { promise.succeed(rung) }
                }
            }
        }
    }

    @Test("rings in the order of the instants, once, and not when it was taken back")
    func order() async throws {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let promise = loop.makePromise(of: [Int].self)
        let ringing = try await loop.submit {
            let ringing = Ringing(loop, promise, until: 5)
            let now = NIODeadline.now()
            for (number, wait) in [400, 100, 20, 20, 60, 200].enumerated() {
                ringing.deadlineTimers[number].arm(now + .milliseconds(Int64(wait)))
            }
            // Earlier moves it, later does not, and one is taken back.
            ringing.deadlineTimers[0].arm(now + .milliseconds(150))
            ringing.deadlineTimers[1].arm(now + .milliseconds(5000))
            ringing.deadlineTimers[4].cancel()
            return NIOLoopBound(ringing, eventLoop: loop)
        }.get()
        let rung = try await promise.futureResult.get()
        #expect(rung.sorted() == [0, 1, 2, 3, 5] && rung.suffix(3) == [1, 0, 5], "\(rung)")
        _ = ringing
    }

    @Test("numbers come out of the heap in order", arguments: [0, 1, 2, 3, 7, 100])
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
