import Crypto
import Foundation
import Synchronization

/// One P-256 verification by the library that the daemon uses, and nothing else.
enum RawVerification {
    /// CPU time of one, in microseconds: the mean of 4,000 on each of so many threads at once.
    ///
    /// The load keeps every processor busy, and a processor that shares its core or its clock with busy ones is slower; so
    /// the unit of the ratio is taken with all of them busy, right before and right after each round.
    static func microseconds(threads: Int) -> Double {
        let results = Mutex<[Double]>([])
        DispatchQueue.concurrentPerform(iterations: threads) { _ in
            let one = measure()
            results.withLock { $0.append(one) }
        }
        return results.withLock { $0.reduce(0, +) / Double($0.count) }
    }

    /// 4,000 signatures by 256 keys over as many messages, as uploads are: one signature over and over would teach the
    /// processor its branches, and be 5 % faster than any upload.
    private static func measure() -> Double {
        let keys = (0..<256).map { _ in P256.Signing.PrivateKey() }
        let signed = (0..<4_000).compactMap { number in
            let key = keys[number % keys.count]
            let digest = SHA256.hash(data: withUnsafeBytes(of: number) { Data($0) })
            return (try? key.signature(for: digest)).map { (key.publicKey, $0, digest) }
        }
        let start = threadSeconds()
        let good = signed.count { key, signature, digest in key.isValidSignature(signature, for: digest) }
        let elapsed = threadSeconds() - start
        return good == 4_000 ? elapsed / Double(good) * 1e6 : .nan
    }

    private static func threadSeconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
