import Crypto

/// HMAC-SHA-256 (RFC 2104) with its key and the beginning of its input absorbed, so that a tag costs two short hashes. A test
/// compares it with the library's HMAC.
package struct PreparedMAC: Sendable {
    private let inner: SHA256
    private let outer: SHA256

    /// - Parameter prefix: the beginning of every input.
    package init(key: [UInt8], prefix: [UInt8]) {
        let key = key.count > SHA256.blockByteCount ? SHA256.bytes(of: key) : key
        let block = key + [UInt8](repeating: 0, count: SHA256.blockByteCount - key.count)
        var inner = SHA256()
        var outer = SHA256()
        inner.update(data: block.map { $0 ^ 0x36 } + prefix)
        outer.update(data: block.map { $0 ^ 0x5C })
        (self.inner, self.outer) = (inner, outer)
    }

    /// The tag over prefix and input, 32 bytes.
    func tag(over input: [UInt8]) -> SHA256.Digest {
        tag { hash in input.withUnsafeBytes { hash.update(bufferPointer: $0) } }
    }

    /// The tag over prefix, input and one byte more.
    func tag(over input: [UInt8], _ last: UInt8) -> SHA256.Digest {
        tag { hash in
            input.withUnsafeBytes { hash.update(bufferPointer: $0) }
            withUnsafeBytes(of: last) { hash.update(bufferPointer: $0) }
        }
    }

    /// The tag over prefix and what `absorb` adds to it, part by part.
    @inline(__always)
    func tag(_ absorb: (inout SHA256) -> Void) -> SHA256.Digest {
        var inner = inner
        absorb(&inner)
        return tag(of: inner)
    }

    private func tag(of inner: SHA256) -> SHA256.Digest {
        var outer = outer
        inner.finalize().withUnsafeBytes { outer.update(bufferPointer: $0) }
        return outer.finalize()
    }

    /// The same as bytes.
    package func bytes(over input: [UInt8]) -> [UInt8] { tag(over: input).withUnsafeBytes { [UInt8]($0) } }
}
