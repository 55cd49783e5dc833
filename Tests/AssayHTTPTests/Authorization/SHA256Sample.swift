import Crypto

/// The digest of a body, computed apart from the code that is tested.
enum SHA256Sample {
    static func of(_ bytes: [UInt8]) -> [UInt8] { SHA256.hash(data: bytes).map { $0 } }
}
