import AssayPlugin
import CLibcrypto

enum SHA256 {
    static func digest(_ data: [UInt8]) throws -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        guard EVP_Digest(data, data.count, &digest, nil, EVP_sha256(), nil) == 1 else {
            throw Fault.internal("libcrypto_failed", "libcrypto cannot make a SHA-256")
        }
        return digest
    }
}

/// RFC 8032, pure.
enum Ed25519 {
    static func verify(_ signature: [UInt8], by key: [UInt8], over data: [UInt8]) throws -> Bool {
        guard !isWeak(key), let key = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nil, key, key.count) else { return false }
        defer { EVP_PKEY_free(key) }
        return try Libcrypto.verify(signature, key, nil, data)
    }

    /// y of the points of order 1, 2, 4 and 8, little-endian, with the two forms above the prime. Anything is signed by
    /// such a key.
    private static let weak = [
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0100000000000000000000000000000000000000000000000000000000000000",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    ].map { Bytes.hex($0) }

    static func isWeak(_ key: [UInt8]) -> Bool {
        guard let last = key.last else { return false }
        return weak.contains(key.dropLast() + [last & 0x7f])
    }
}

/// ECDSA over secp256k1 with one SHA-256. A signature is r and s, 32 bytes each, and s is at most half of the order.
enum Secp256k1 {
    private static let halfOrder = Bytes.hex("7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0") ?? []

    static func isLowS(_ signature: [UInt8]) -> Bool {
        !halfOrder.lexicographicallyPrecedes(signature.suffix(32))
    }

    /// `key` is a point of 33 or 65 bytes.
    static func verify(_ signature: [UInt8], by key: [UInt8], over data: [UInt8]) throws -> Bool {
        guard let key = publicKey(key) else {
            ERR_clear_error()
            return false
        }
        defer { EVP_PKEY_free(key) }
        return try Libcrypto.verify(der(signature), key, EVP_sha256(), data)
    }

    /// The point in a SubjectPublicKeyInfo; `nil` if it is none of the curve.
    private static func publicKey(_ point: [UInt8]) -> OpaquePointer? {
        let algorithm: [UInt8] = [
            0x30, 0x10, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x05, 0x2b, 0x81, 0x04, 0x00, 0x0a,
        ]
        let bits = [0x03, UInt8(point.count + 1), 0] + point
        let info = [0x30, UInt8(algorithm.count + bits.count)] + algorithm + bits
        return info.withUnsafeBufferPointer { buffer in
            var start = buffer.baseAddress
            return d2i_PUBKEY(nil, &start, buffer.count)
        }
    }

    private static func der(_ signature: [UInt8]) -> [UInt8] {
        let numbers = integer(signature.prefix(32)) + integer(signature.suffix(32))
        return [0x30, UInt8(numbers.count)] + numbers
    }

    /// A positive INTEGER in its shortest form.
    private static func integer(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var value = Array(bytes.drop { $0 == 0 })
        if (value.first ?? 0x80) >= 0x80 { value.insert(0, at: 0) }
        return [0x02, UInt8(value.count)] + value
    }
}

private enum Libcrypto {
    static func verify(
        _ signature: [UInt8], _ key: OpaquePointer, _ digest: OpaquePointer?, _ data: [UInt8]
    ) throws -> Bool {
        guard let context = EVP_MD_CTX_new() else { throw Fault.internal("libcrypto_failed", "libcrypto has no memory") }
        defer {
            EVP_MD_CTX_free(context)
            // What a wrong signature leaves behind would pile up.
            ERR_clear_error()
        }
        guard EVP_DigestVerifyInit(context, nil, digest, nil, key) == 1 else {
            throw Fault.internal("libcrypto_failed", "libcrypto cannot verify a signature")
        }
        return EVP_DigestVerify(context, signature, signature.count, data, data.count) == 1
    }
}
