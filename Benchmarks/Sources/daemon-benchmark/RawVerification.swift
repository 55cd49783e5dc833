import Crypto
import Foundation
import Synchronization

/// P-256 verifications by the daemon's library and nothing else: the unit of the ratio.
///
/// Each verifies another signature, by 256 keys over as many messages, like uploads: repeating one signature would train the
/// branch predictor, and be 5 % faster than any upload.
struct RawVerification: Sendable {
    private let signed: [(key: P256.Signing.PublicKey, signature: P256.Signing.ECDSASignature, digest: SHA256.Digest)]

    init() throws {
        let keys = (0..<256).map { _ in P256.Signing.PrivateKey() }
        signed = try (0..<4_000).map { number in
            let key = keys[number % keys.count]
            let digest = SHA256.hash(data: withUnsafeBytes(of: number) { Data($0) })
            return (key.publicKey, try key.signature(for: digest), digest)
        }
    }

    /// CPU time of one verification, in microseconds: the mean over all signatures, on this thread.
    func microseconds() -> Double { Self.seconds { verify(0..<signed.count) } / Double(signed.count) * 1e6 }

    /// CPU time of one verification while `load` runs, in microseconds, and the result of `load`.
    ///
    /// The work that a processor does in a second depends on its other load, and on a virtual machine on the other machines of
    /// the host, and changes from second to second. So the unit is measured in the same seconds as the load: a thread verifies
    /// 200 signatures, 10 ms of work, rests as long, and repeats.
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

    private func verify(_ range: Range<Int>) {
        for (key, signature, digest) in signed[range] {
            precondition(key.isValidSignature(signature, for: digest), "the library's own signatures are good")
        }
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
        private let raw: RawVerification
        private let isDone = Atomic(false)
        private let mean = Mutex(0.0)
        private let ended = DispatchSemaphore(value: 0)
        private static let burst = 200

        init(raw: RawVerification) { self.raw = raw }

        func start() {
            Thread.detachNewThread { [self] in
                var (seconds, count, next) = (0.0, 0, 0)
                repeat {
                    let range = next..<next + Self.burst
                    seconds += RawVerification.seconds { raw.verify(range) }
                    count += Self.burst
                    next = (next + Self.burst) % (raw.signed.count - Self.burst)
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
