import AssayCore
import AssayLedger
import Synchronization
import Testing

@Suite("Mailbox of a writer", .timeLimit(.minutes(30)))
struct MailboxTests {
    /// Takes from a mailbox on a thread until that is closed, and keeps what was taken.
    private final class Taker: Sendable {
        let mailbox = Mailbox<Int>(limit: 10)
        private let taken = Mutex<[Int]>([])
        private let looks = Atomic(0)
        private let thread = Mutex<NamedThread?>(nil)

        init(within patience: Int32? = nil) {
            let thread = NamedThread("mailbox-test") { [mailbox, self] in
                while let (items, _) = mailbox.take(upTo: 10, within: patience) {
                    looks.add(1, ordering: .relaxed)
                    taken.withLock { $0 += items }
                }
            }
            self.thread.withLock { $0 = thread }
        }

        /// How often it came back from the mailbox.
        var count: Int { looks.load(ordering: .relaxed) }

        /// Stands in for the thread as soon as that waits.
        func enter() async { while !mailbox.enter() { await Task.yield() } }

        /// Everything that was taken, once the thread has ended.
        func finish() -> [Int] {
            mailbox.close()
            thread.withLock { $0?.join() }
            return taken.withLock { $0 }
        }
    }

    @Test("While another thread is in its place, the one that takes gets nothing, and afterwards what was posted meanwhile")
    func enter() async {
        let taker = Taker()
        await taker.enter()
        #expect(!taker.mailbox.enter(), "the place is taken")
        #expect(taker.mailbox.post(1, weight: 1) == .accepted)
        #expect(taker.mailbox.post(2, weight: 1) == .accepted)
        #expect(taker.mailbox.queuedWeight == 2 && taker.count == 0)
        taker.mailbox.leave()
        while taker.mailbox.queuedWeight > 0 { await Task.yield() }
        #expect(taker.finish() == [1, 2])
    }

    @Test("No other thread takes the place of one that has something to take, or that was never there")
    func refuses() async {
        let mailbox = Mailbox<Int>(limit: 10)
        #expect(!mailbox.enter(), "nothing waits")
        #expect(mailbox.post(1, weight: 1) == .accepted)
        #expect(!mailbox.enter())
        let taker = Taker()
        await taker.enter()
        taker.mailbox.leave()
        #expect(taker.finish() == [])
        #expect(!taker.mailbox.enter(), "it is closed")
    }

    @Test("A patience that ends while another thread is in the place begins again, and closing waits for that thread")
    func patience() async {
        let taker = Taker(within: 1)
        await taker.enter()
        let before = taker.count
        try? await Task.sleep(for: .milliseconds(20))
        #expect(taker.count == before)
        #expect(taker.mailbox.post(7, weight: 1) == .accepted)
        taker.mailbox.close()
        #expect(taker.count == before)
        taker.mailbox.leave()
        #expect(taker.finish() == [7])
    }
}
