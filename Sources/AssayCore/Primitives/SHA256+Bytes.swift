package import Crypto

extension SHA256 {
    /// The digest of bytes. The generic path through `DataProtocol` costs more than the hash of a short input.
    package static func digest(of input: [UInt8]) -> SHA256Digest {
        var hash = SHA256()
        input.withUnsafeBytes { hash.update(bufferPointer: $0) }
        return hash.finalize()
    }

    /// The digest of bytes, as 32 bytes.
    package static func bytes(of input: [UInt8]) -> [UInt8] { digest(of: input).withUnsafeBytes { [UInt8]($0) } }

    /// The digest of a part of bytes, as 32 bytes.
    package static func bytes(of input: ArraySlice<UInt8>) -> [UInt8] {
        var hash = SHA256()
        input.withUnsafeBytes { hash.update(bufferPointer: $0) }
        return hash.finalize().withUnsafeBytes { [UInt8]($0) }
    }
}
