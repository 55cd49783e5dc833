import Crypto
import Foundation

/// One P-256 verification by the library that the daemon uses, and nothing else.
enum RawVerification {
    /// CPU time of one, in microseconds: the mean of 5,000 on one thread.
    static func microseconds() -> Double {
        let key = P256.Signing.PrivateKey()
        let digest = SHA256.hash(data: Data("what is signed".utf8))
        guard let signature = try? key.signature(for: digest) else { return .nan }
        let publicKey = key.publicKey
        let count = 5_000
        var good = 0
        let start = threadSeconds()
        for _ in 0..<count where publicKey.isValidSignature(signature, for: digest) { good += 1 }
        let elapsed = threadSeconds() - start
        return good == count ? elapsed / Double(count) * 1e6 : .nan
    }

    private static func threadSeconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
