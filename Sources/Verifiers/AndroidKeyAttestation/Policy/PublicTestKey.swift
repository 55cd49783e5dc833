import AssayCore

/// Keys of Android Verified Boot whose private keys are published in Android's sources (AOSP `external/avb/test/data`). Devices
/// have been sold that boot systems signed with them: locked, in the state Verified, and open to changes by anyone.
package enum PublicTestKey: String, CaseIterable, Hashable, Sendable {
    case rsa2048 = "testkey_rsa2048"
    /// The default key of `make` for products that name none.
    case rsa4096 = "testkey_rsa4096"
    case rsa8192 = "testkey_rsa8192"

    /// The key's digest in a root of trust: SHA-256 over the `AvbRSAPublicKeyHeader` and its numbers, which are the bits of the
    /// modulus n and -1/n mod 2³², 32 bits each, then n and 2^(2 · bits) mod n; all big-endian (libavb, `avb_crypto.h`).
    /// Computed from the public keys; a test of libavb and the output of avbtool state the same digests.
    package var digest: [UInt8] { Hex.decode(hexadecimal) ?? [] }

    private var hexadecimal: String {
        switch self {
        case .rsa2048: "22de3994532196f61c039e90260d78a93a4c57362c7e789be928036e80b77c8c"
        case .rsa4096: "7728e30f50bfa5cea165f473175a08803f6a8346642b5aa10913e9d9e6defef6"
        case .rsa8192: "e15e2365469ce672a91d02cc8d9c2f29b787481e574d3b56ac774153d7ced614"
        }
    }

    package init?(digest: [UInt8]) {
        guard let key = Self.byDigest[digest] else { return nil }
        self = key
    }

    private static let byDigest = Dictionary(uniqueKeysWithValues: allCases.map { ($0.digest, $0) })
}
