import Dispatch
import Synchronization
import Testing

@testable import AssayPKCS11

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

@Suite("Threads of tokens")
struct TokenThreadsTests {
    /// Counts the threads that are gone.
    private final class Gone: Sendable {
        let count = Atomic(0)

        /// Calls this when the calling thread ends, slowly, as a library does that cleans up behind it.
        func atEndOfThread() {
            var key = pthread_key_t()
            pthread_key_create(&key) { value in
                usleep(100_000)
                #if canImport(Darwin)
                    let gone = Unmanaged<Gone>.fromOpaque(value).takeRetainedValue()
                #else
                    guard let value else { return }
                    let gone = Unmanaged<Gone>.fromOpaque(value).takeRetainedValue()
                #endif
                gone.count.add(1, ordering: .relaxed)
            }
            pthread_setspecific(key, Unmanaged.passRetained(self).toOpaque())
        }
    }

    @Test("An exit waits until threads are gone, not only until they make no call")
    func joins() throws {
        let threads = TokenThreads()
        let gone = Gone()
        for _ in 0..<3 {
            let queue = DispatchSemaphore(value: 0)
            _ = try #require(
                threads.start {
                    queue.signal()
                } _: {
                    queue.wait()
                    gone.atEndOfThread()
                })
        }
        threads.endAll()
        #expect(gone.count.load(ordering: .relaxed) == 3)
    }

    @Test("Nor does one that was done before end beside an exit")
    func joinsDone() throws {
        let threads = TokenThreads()
        let gone = Gone()
        let number = try #require(
            threads.start {
            } _: {
                gone.atEndOfThread()
            })
        while threads.isRunning(number) { usleep(100) }
        threads.endAll()
        #expect(gone.count.load(ordering: .relaxed) == 1)
    }

    @Test("A thread that hangs does not keep the process")
    func hangs() throws {
        let threads = TokenThreads(patience: 50)
        let hanging = DispatchSemaphore(value: 0)
        let number = try #require(
            threads.start {
            } _: {
                hanging.wait()
            })
        threads.endAll()
        #expect(threads.isRunning(number))
        hanging.signal()
    }
}
