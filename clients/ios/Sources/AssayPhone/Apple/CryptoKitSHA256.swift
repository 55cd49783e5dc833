#if canImport(CryptoKit)
    import CryptoKit
    public import Foundation

    /// SHA-256 by CryptoKit.
    public struct CryptoKitSHA256: SHA256Hashing {
        public init() {}

        public func hash(_ data: Data) -> Data { Data(SHA256.hash(data: data)) }
    }
#endif
