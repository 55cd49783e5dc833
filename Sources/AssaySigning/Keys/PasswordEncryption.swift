import AssayCore
import AssayEncoding
import Crypto
import CryptoExtras

/// PBES2 (RFC 8018 §6.2): a private key encrypted under a key that is derived from a passphrase, as an EncryptedPrivateKeyInfo
/// (RFC 5208 §6). What is written, and what OpenSSL writes, is read.
package enum PasswordEncryption {
    /// Iterations of PBKDF2 with HMAC-SHA-256 that are written.
    package static let iterations = 600_000
    /// More iterations are refused: 10,000,000 take seconds.
    package static let iterationLimit = 10_000_000
    /// Memory of scrypt beyond which it is refused, in bytes. OpenSSL writes keys that need 16 MiB.
    package static let scryptMemoryLimit = 128 << 20
    /// Octets of a salt that are read.
    static let saltLengths = 1...128

    /// Encrypts with PBKDF2-HMAC-SHA-256 and AES-256-CBC.
    ///
    /// - Parameter passphrase: not empty.
    package static func seal(
        _ plaintext: [UInt8], passphrase: [UInt8], iterations: Int = iterations
    ) throws(SigningKeyError) -> [UInt8] {
        let (salt, vector) = (SecureRandom.bytes(16), SecureRandom.bytes(16))
        let derivation = KeyDerivation.pbkdf2(salt: salt, iterations: iterations, hash: .sha256)
        let key = try derivation.key(from: passphrase, length: 32)
        let sealed: [UInt8]
        do {
            sealed = Array(try AES._CBC.encrypt(plaintext, using: key, iv: AES._CBC.IV(ivBytes: vector)))
        } catch {
            throw .malformed("it cannot be encrypted")
        }
        let cipher = DERWriter.sequence([DERWriter.objectIdentifier("2.16.840.1.101.3.4.1.42"), DERWriter.octetString(vector)])
        let function = DERWriter.sequence([
            DERWriter.objectIdentifier("1.2.840.113549.1.5.12"),
            DERWriter.sequence([
                DERWriter.octetString(salt), DERWriter.integer(UInt64(iterations)),
                DERWriter.sequence([DERWriter.objectIdentifier("1.2.840.113549.2.9"), DERWriter.null]),
            ]),
        ])
        let algorithm = DERWriter.sequence([
            DERWriter.objectIdentifier("1.2.840.113549.1.5.13"), DERWriter.sequence([function, cipher]),
        ])
        return DERWriter.sequence([algorithm, DERWriter.octetString(sealed)])
    }

    /// Decrypts an EncryptedPrivateKeyInfo. A wrong passphrase may also give bytes that are no key.
    package static func open(_ der: [UInt8], passphrase: [UInt8]) throws(SigningKeyError) -> [UInt8] {
        let sealed: SealedBytes
        do throws(Rejection) {
            sealed = try DERReader.parse(der[...], code: .unsupportedKey) { reader throws(Rejection) in
                try reader.sequence { fields throws(Rejection) in try SealedBytes(from: &fields) }
            }
        } catch {
            guard error.code != .unsupportedAlgorithm else { throw .unsupportedEncryption(error.detail) }
            throw .malformed(error.detail)
        }
        let key = try sealed.derivation.key(from: passphrase, length: sealed.keyLength)
        do {
            return Array(
                try AES._CBC.decrypt(sealed.ciphertext, using: key, iv: AES._CBC.IV(ivBytes: sealed.vector)))
        } catch {
            throw .wrongPassphrase
        }
    }
}

/// The fields of an EncryptedPrivateKeyInfo. Algorithms that are not read throw `unsupported_algorithm` with a sentence.
private struct SealedBytes {
    let derivation: KeyDerivation
    /// Octets of the AES key.
    let keyLength: Int
    let vector: ArraySlice<UInt8>
    let ciphertext: ArraySlice<UInt8>

    private static let pbes2 = OID(1, 2, 840, 113_549, 1, 5, 13)
    private static let ciphers: [OID: Int] = [
        OID(2, 16, 840, 1, 101, 3, 4, 1, 2): 16, OID(2, 16, 840, 1, 101, 3, 4, 1, 22): 24,
        OID(2, 16, 840, 1, 101, 3, 4, 1, 42): 32,
    ]

    init(from fields: inout DERReader) throws(Rejection) {
        var parts = DERReader(try fields.content(.sequence), code: fields.code)
        let scheme = try parts.objectIdentifier()
        guard scheme == Self.pbes2 else {
            throw Rejection(.unsupportedAlgorithm, "its encryption is \(scheme), not PBES2; 'openssl pkcs8 -topk8' converts it")
        }
        var parameters = DERReader(try parts.content(.sequence), code: fields.code)
        try parts.finish("the parameters of PBES2")
        var function = DERReader(try parameters.content(.sequence), code: fields.code)
        var cipher = DERReader(try parameters.content(.sequence), code: fields.code)
        try parameters.finish("the cipher")

        let algorithm = try cipher.objectIdentifier()
        guard let keyLength = Self.ciphers[algorithm] else {
            throw Rejection(.unsupportedAlgorithm, "its cipher is \(algorithm), not AES in CBC mode")
        }
        vector = try cipher.octetString()
        try cipher.finish("the initialization vector")
        guard vector.count == 16 else { throw fields.rejection("an initialization vector of \(vector.count) bytes") }
        derivation = try KeyDerivation(from: &function, keyLength: keyLength)
        self.keyLength = keyLength
        ciphertext = try fields.octetString()
        guard !ciphertext.isEmpty, ciphertext.count % 16 == 0 else {
            throw fields.rejection("a ciphertext of \(ciphertext.count) bytes")
        }
    }
}
