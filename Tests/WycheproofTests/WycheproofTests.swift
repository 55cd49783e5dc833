import AssayCertificates
import AssayCore
import AssayTesting
import Testing

/// The vectors of Project Wycheproof, through the paths by which such bytes arrive.
///
/// `ASSAY_WRITE_DOCS=1` writes the page's table; without it the run compares.
@Suite("Wycheproof", .enabled(if: SharedVectors.folder("wycheproof") != nil))
struct WycheproofTests {
    typealias Run = WycheproofRun

    @Test("Every file's tests end as the page says, and nothing invalid is accepted", arguments: files)
    func file(_ name: String) throws {
        let runs = try Self.runs(of: name)
        #expect(runs.flatMap(\.failures) == [])
        if WycheproofPage.isWritten {
            try WycheproofPage.write(runs.map(\.row), of: name)
        } else {
            #expect(try WycheproofPage.rows(of: name) == runs.map(\.row))
        }
    }

    @Test("No file of the folder is left out")
    func complete() throws {
        let folder = try #require(SharedVectors.folder("wycheproof"))
        #expect(try Self.present(folder) == Self.files)
    }
}

extension WycheproofTests {
    /// The files without their extension.
    static let files = [
        "aes_gcm_test", "aes_wrap_test", "ecdsa_secp256k1_sha256_p1363_test", "ecdsa_secp256k1_sha256_test",
        "ecdsa_secp256r1_sha256_p1363_test", "ecdsa_secp256r1_sha256_test", "ecdsa_secp256r1_sha512_test",
        "ecdsa_secp384r1_sha256_test", "ecdsa_secp384r1_sha384_p1363_test", "ecdsa_secp384r1_sha384_test",
        "ecdsa_secp384r1_sha512_test", "ecdsa_secp521r1_sha512_p1363_test", "ecdsa_secp521r1_sha512_test", "ed25519_test",
        "hkdf_sha256_test", "hmac_sha256_test", "json_web_crypto_test", "json_web_encryption_test", "json_web_key_test",
        "json_web_signature_test", "mldsa_65_verify_test", "mldsa_87_verify_test", "pbkdf2_hmacsha256_test",
        "rsa_signature_2048_sha256_test", "rsa_signature_4096_sha256_test", "x25519_test",
    ]

    /// What is run of a file: each path by which its values can arrive.
    private static func runs(of file: String) throws -> [Run] {
        if file.hasPrefix("ecdsa_") { return try curveRuns(of: file) }
        switch file {
        case "ed25519_test": return [try key(file, .ed25519)]
        case "mldsa_65_verify_test": return [try key(file, .mlDSA65, refusing: context)]
        case "mldsa_87_verify_test": return [try key(file, .mlDSA87, refusing: context)]
        case "rsa_signature_2048_sha256_test", "rsa_signature_4096_sha256_test":
            return [try key(file, .rsaPKCS1SHA256), try chain(file, .rsaWithSHA256)]
        case "json_web_signature_test", "json_web_key_test": return try signedTokens(file)
        case "json_web_crypto_test": return try signedTokens(file) + [try sealedTokens(file)]
        case "json_web_encryption_test": return [try sealedTokens(file)]
        case "x25519_test": return [try agreement(file)]
        default: return [try secrets(file)]
        }
    }

    private static func curveRuns(of file: String) throws -> [Run] {
        switch file {
        case "ecdsa_secp256r1_sha256_test":
            [try key(file, .ecdsaP256SHA256), try chain(file, .ecdsaWithSHA256), try bundle(file)]
        case "ecdsa_secp256r1_sha256_p1363_test": [try bundle(file), try key(file, .ecdsaP256SHA256, refusing: rawForm)]
        case "ecdsa_secp384r1_sha256_test": [try key(file, .ecdsaP384SHA256), try chain(file, .ecdsaWithSHA256)]
        case "ecdsa_secp384r1_sha384_test": [try key(file, .ecdsaP384SHA384), try chain(file, .ecdsaWithSHA384)]
        case "ecdsa_secp384r1_sha384_p1363_test": [try key(file, .ecdsaP384SHA384, refusing: rawForm)]
        case "ecdsa_secp521r1_sha512_p1363_test": [try chain(file, .ecdsaWithSHA512, refusing: rawForm)]
        case "ecdsa_secp256k1_sha256_test":
            [
                try key(file, .ecdsaP256SHA256, refusing: otherCurve),
                try chain(file, .ecdsaWithSHA256, refusing: otherCurve),
            ]
        case "ecdsa_secp256k1_sha256_p1363_test": [try bundle(file, refusing: otherCurve)]
        default: [try chain(file, .ecdsaWithSHA512)]
        }
    }

    private static func secrets(_ file: String) throws -> Run {
        switch file {
        case "aes_gcm_test":
            try Run(file, through: "kept evidence", refusing: nonceLength) { _, vector in try SecretPaths.evidence(vector) }
        case "aes_wrap_test":
            try Run(file, through: "secrets of the ledger") { _, vector in try SecretPaths.unwrap(vector) }
        case "hkdf_sha256_test":
            try Run(file, through: "derived keys") { _, vector in try SecretPaths.derivation(vector) }
        case "hmac_sha256_test":
            try Run(file, through: "MACs", refusing: shortCode) { _, vector in try SecretPaths.code(vector) }
        default:
            try Run(file, through: "a CA's key under a passphrase", refusing: passphrase) { _, vector in
                try SecretPaths.passphrase(vector)
            }
        }
    }
}
