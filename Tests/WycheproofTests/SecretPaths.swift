import AssayCore
import AssayEncoding
import AssayService
import AssaySigning
import Crypto
import CryptoExtras
import Testing

/// The paths of keys, secrets and encrypted bytes.
enum SecretPaths {
    /// A secret of the ledger, wrapped by the key in the daemon's folder.
    static func unwrap(_ vector: WycheproofFile.Vector) throws -> Bool {
        let vault = SecretVault(key: try vector.key.bytes)
        let secret = WrappedSecret(name: "wycheproof", number: 1, wrapped: try vector.ct.bytes, createdAt: .distantPast)
        guard let opened = try? vault.unwrap(secret) else { return false }
        return opened == (try vector.msg.bytes)
    }

    /// Kept evidence: nonce, ciphertext and tag under a key of its own, with additional data.
    static func evidence(_ vector: WycheproofFile.Vector) throws -> Bool {
        let vault = SecretVault(key: [UInt8](repeating: 1, count: SecretVault.secretLength))
        let sealed = SealedEvidence(
            key: try vault.wrap(try vector.key.bytes), sealed: try vector.iv.bytes + vector.ct.bytes + vector.tag.bytes)
        guard let opened = try? vault.open(sealed, of: try vector.aad.bytes) else { return false }
        return opened == (try vector.msg.bytes)
    }

    /// A CA's private key under a passphrase (RFC 8018): what is encrypted by the derived key has to open.
    static func passphrase(_ vector: WycheproofFile.Vector) throws -> Bool {
        let (key, plaintext, iv) = (try vector.dk.bytes, Array("a private key".utf8), [UInt8](repeating: 2, count: 16))
        guard let cipher = [16: "2", 24: "22", 32: "42"][key.count] else { return false }
        let sealed = try AES._CBC.encrypt(plaintext, using: SymmetricKey(data: key), iv: AES._CBC.IV(ivBytes: iv))
        let function = DERWriter.sequence([
            DERWriter.objectIdentifier("1.2.840.113549.1.5.12"),
            DERWriter.sequence([
                DERWriter.octetString(try vector.salt.bytes),
                DERWriter.integer(UInt64(try #require(vector.iterationCount))),
                DERWriter.sequence([DERWriter.objectIdentifier("1.2.840.113549.2.9"), DERWriter.null]),
            ]),
        ])
        let encryption = DERWriter.sequence([
            DERWriter.objectIdentifier("2.16.840.1.101.3.4.1.\(cipher)"), DERWriter.octetString(iv),
        ])
        let der = DERWriter.sequence([
            DERWriter.sequence([
                DERWriter.objectIdentifier("1.2.840.113549.1.5.13"), DERWriter.sequence([function, encryption]),
            ]),
            DERWriter.octetString(Array(sealed)),
        ])
        guard let opened = try? PasswordEncryption.open(der, passphrase: try vector.password.bytes) else { return false }
        return opened == plaintext
    }

    /// A whole MAC, as the files of rates and the signatures of webhooks have it.
    static func code(_ vector: WycheproofFile.Vector) throws -> Bool {
        HMAC<SHA256>.isValidAuthenticationCode(
            try vector.tag.bytes, authenticating: try vector.msg.bytes, using: SymmetricKey(data: try vector.key.bytes))
    }

    /// The two steps of HKDF, as keys of tables and of challenges are derived.
    static func derivation(_ vector: WycheproofFile.Vector) throws -> Bool {
        let size = try #require(vector.size)
        // More than 255 blocks do not exist (RFC 5869 §2.3); no derivation here asks for more than one.
        guard size <= 255 * SHA256.byteCount else { return false }
        let salt = try vector.salt.bytes
        let extracted = HKDF<SHA256>.extract(
            inputKeyMaterial: SymmetricKey(data: try vector.ikm.bytes), salt: salt.isEmpty ? nil : salt)
        let key = HKDF<SHA256>.expand(
            pseudoRandomKey: extracted, info: try vector.info.bytes, outputByteCount: size)
        return key.withUnsafeBytes { Array($0) } == (try vector.okm.bytes)
    }
}
