import Crypto
import Foundation
import Synchronization

/// An operation of the daemon's library and nothing else: the unit of a ratio.
struct RawOperation: Sendable {
    /// For people, after "raw".
    let name: String
    private let operations: [@Sendable () -> Void]
    /// How many are performed in a row while a load runs: about 10 ms of work, and fewer than there are.
    private let burst: Int

    private init(name: String, burst: Int = 200, operations: [@Sendable () -> Void]) {
        (self.name, self.burst, self.operations) = (name, burst, operations)
    }

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

    /// P-384 verifications, each of another signature, by 64 keys.
    static func largeVerification() throws -> RawOperation {
        let keys = (0..<64).map { _ in P384.Signing.PrivateKey() }
        return RawOperation(
            name: "P-384 verification", burst: 20,
            operations: try (0..<512).map { number in
                let key = keys[number % keys.count]
                let digest = digest(of: number)
                let (publicKey, signature) = (key.publicKey, try key.signature(for: digest))
                return {
                    precondition(
                        publicKey.isValidSignature(signature, for: digest), "the library's own signatures are good")
                }
            })
    }

    /// HMAC-SHA256 by one key over different messages of 64 bytes, as challenges are authenticated.
    static func authentication() -> RawOperation {
        let key = SymmetricKey(size: .bits256)
        return RawOperation(
            name: "HMAC-SHA256", burst: 3_000,
            operations: (0..<4_000).map { number in
                let message = Data(digest(of: number)) + Data(digest(of: number))
                let code = Data(HMAC<SHA256>.authenticationCode(for: message, using: key))
                return {
                    precondition(
                        HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: message, using: key),
                        "the library's own codes are good")
                }
            })
    }

    /// One of each, one after the other.
    static func sum(_ name: String, _ parts: [RawOperation]) -> RawOperation {
        let count = parts.map(\.operations.count).min() ?? 0
        return RawOperation(
            name: name, burst: (parts.map(\.burst).min() ?? 0) / max(1, parts.count),
            operations: (0..<count).map { number in
                let operations = parts.map { $0.operations[number] }
                return { for operation in operations { operation() } }
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
    /// a burst of operations, about 10 ms of work, rests as long, and repeats.
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

        init(raw: RawOperation) { self.raw = raw }

        func start() {
            Thread.detachNewThread { [self] in
                var (seconds, count, next) = (0.0, 0, 0)
                repeat {
                    let range = next..<next + raw.burst
                    seconds += RawOperation.seconds { raw.run(range) }
                    count += raw.burst
                    next = (next + raw.burst) % (raw.operations.count - raw.burst)
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
