import Crypto
import Foundation
import Synchronization

/// An operation of the daemon's library and nothing else: the unit of a ratio.
struct RawOperation: Sendable {
    /// For people, after "raw".
    let name: String
    private let operations: [@Sendable () -> Void]

    /// P-256 verifications. Each verifies another signature, by 256 keys over as many messages, like uploads: repeating one signature
    /// would train the branch predictor, and be 5 % faster than any upload.
    static func verification() throws -> RawOperation {
        let keys = (0..<256).map { _ in P256.Signing.PrivateKey() }
        return RawOperation(
            name: "verification",
            operations: try (0..<4_000).map { number in
                let key = keys[number % keys.count]
                let digest = digest(of: number)
                let (publicKey, signature) = (key.publicKey, try key.signature(for: digest))
                return {
                    precondition(
                        publicKey.isValidSignature(signature, for: digest), "the library's own signatures are good")
                }
            })
    }

    /// P-256 signatures by one key, as a CA makes them, over different messages.
    static func signature() -> RawOperation {
        let key = P256.Signing.PrivateKey()
        return RawOperation(
            name: "signature",
            operations: (0..<4_000).map { number in
                let digest = digest(of: number)
                return { precondition((try? key.signature(for: digest)) != nil, "the library signs") }
            })
    }

    private static func digest(of number: Int) -> SHA256.Digest {
        SHA256.hash(data: withUnsafeBytes(of: number) { Data($0) })
    }

    /// CPU time of one operation, in microseconds: the mean over all, on this thread.
    func microseconds() -> Double { Self.seconds { run(0..<operations.count) } / Double(operations.count) * 1e6 }

    /// CPU time of one operation while `load` runs, in microseconds, and the result of `load`.
    ///
    /// The work that a processor does in a second depends on its other load, and on a virtual machine on the other machines of
    /// the host, and changes from second to second. So the unit is measured in the same seconds as the load: a thread performs
    /// 200 operations, about 10 ms of work, rests as long, and repeats.
    func microseconds<Result>(during load: () throws -> Result) rethrows -> (microseconds: Double, result: Result) {
        let sampler = Sampler(raw: self)
        sampler.start()
        let result: Result
        do {
            result = try load()
        } catch {
            _ = sampler.finish()
            throw error
        }
        return (sampler.finish(), result)
    }

    private func run(_ range: Range<Int>) {
        for operation in operations[range] { operation() }
    }

    private static func seconds(_ body: () -> Void) -> Double {
        func now() -> Double {
            var time = timespec()
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
            return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
        }
        let start = now()
        body()
        return now() - start
    }

    private final class Sampler: Sendable {
        private let raw: RawOperation
        private let isDone = Atomic(false)
        private let mean = Mutex(0.0)
        private let ended = DispatchSemaphore(value: 0)
        private static let burst = 200

        init(raw: RawOperation) { self.raw = raw }

        func start() {
            Thread.detachNewThread { [self] in
                var (seconds, count, next) = (0.0, 0, 0)
                repeat {
                    let range = next..<next + Self.burst
                    seconds += RawOperation.seconds { raw.run(range) }
                    count += Self.burst
                    next = (next + Self.burst) % (raw.operations.count - Self.burst)
                    usleep(10_000)
                } while !isDone.load(ordering: .acquiring)
                let microseconds = seconds / Double(count) * 1e6
                mean.withLock { $0 = microseconds }
                ended.signal()
            }
        }

        func finish() -> Double {
            isDone.store(true, ordering: .releasing)
            ended.wait()
            return mean.withLock { $0 }
        }
    }
}
