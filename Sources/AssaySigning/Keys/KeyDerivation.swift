import AssayCore
import AssayEncoding
import Crypto
import CryptoExtras

/// How a key is made of a passphrase: PBKDF2 (RFC 8018 §5.2) or scrypt (RFC 7914).
enum KeyDerivation {
    case pbkdf2(salt: [UInt8], iterations: Int, hash: KDF.Insecure.PBKDF2.HashFunction)
    /// N, r and p of RFC 7914 §2.
    case scrypt(salt: [UInt8], cost: Int, blockSize: Int, parallelism: Int)

    private static let pbkdf2 = OID(1, 2, 840, 113_549, 1, 5, 12)
    private static let scrypt = OID(1, 3, 6, 1, 4, 1, 11591, 4, 11)
    private static let hashes: [OID: KDF.Insecure.PBKDF2.HashFunction] = [
        OID(1, 2, 840, 113_549, 2, 7): .insecureSHA1, OID(1, 2, 840, 113_549, 2, 8): .insecureSHA224,
        OID(1, 2, 840, 113_549, 2, 9): .sha256, OID(1, 2, 840, 113_549, 2, 10): .sha384,
        OID(1, 2, 840, 113_549, 2, 11): .sha512,
    ]

    /// Reads the content of a keyDerivationFunc.
    ///
    /// - Parameter keyLength: the length that the cipher has; a length that the parameters state must be the same.
    init(from function: inout DERReader, keyLength: Int) throws(Rejection) {
        let algorithm = try function.objectIdentifier()
        guard algorithm == Self.pbkdf2 || algorithm == Self.scrypt else {
            throw Rejection(.unsupportedAlgorithm, "its key derivation is \(algorithm), neither PBKDF2 nor scrypt")
        }
        var parameters = DERReader(try function.content(.sequence), code: function.code)
        try function.finish("the key derivation")
        let salt = Array(try parameters.octetString())
        guard PasswordEncryption.saltLengths.contains(salt.count) else {
            throw parameters.rejection("a salt of \(salt.count) bytes")
        }
        if algorithm == Self.pbkdf2 {
            self = try Self.pbkdf2(salt, &parameters, keyLength)
        } else {
            self = try Self.scrypt(salt, &parameters, keyLength)
        }
        try parameters.finish("the parameters of the key derivation")
    }

    private static func pbkdf2(
        _ salt: [UInt8], _ parameters: inout DERReader, _ keyLength: Int
    ) throws(Rejection) -> KeyDerivation {
        let iterations = try parameters.smallInteger()
        guard (1...PasswordEncryption.iterationLimit).contains(iterations) else {
            throw Rejection(
                .unsupportedAlgorithm,
                "it wants \(iterations) iterations, at most \(PasswordEncryption.iterationLimit) are made")
        }
        try checkLength(&parameters, keyLength)
        // DEFAULT algid-hmacWithSHA1 (RFC 8018 §A.2).
        guard !parameters.isAtEnd else { return .pbkdf2(salt: salt, iterations: iterations, hash: .insecureSHA1) }
        let function = try parameters.sequence { fields throws(Rejection) in
            let function = try fields.objectIdentifier()
            _ = try fields.optional(.null)
            return function
        }
        guard let hash = hashes[function] else {
            throw Rejection(.unsupportedAlgorithm, "its pseudorandom function is \(function), not HMAC with SHA-1 or SHA-2")
        }
        return .pbkdf2(salt: salt, iterations: iterations, hash: hash)
    }

    private static func scrypt(
        _ salt: [UInt8], _ parameters: inout DERReader, _ keyLength: Int
    ) throws(Rejection) -> KeyDerivation {
        let cost = try parameters.smallInteger()
        let blockSize = try parameters.smallInteger()
        let parallelism = try parameters.smallInteger()
        try checkLength(&parameters, keyLength)
        // Each factor is bounded first, so that no product overflows.
        guard (2...1 << 22).contains(cost), cost & (cost - 1) == 0, (1...64).contains(blockSize),
            (1...16).contains(parallelism),
            128 * cost * blockSize * parallelism <= PasswordEncryption.scryptMemoryLimit
        else {
            throw Rejection(
                .unsupportedAlgorithm,
                "its scrypt needs more than \(PasswordEncryption.scryptMemoryLimit >> 20) MiB, or has parameters that are none")
        }
        return .scrypt(salt: salt, cost: cost, blockSize: blockSize, parallelism: parallelism)
    }

    private static func checkLength(_ parameters: inout DERReader, _ keyLength: Int) throws(Rejection) {
        var ahead = parameters
        guard try ahead.optional(.integer) != nil else { return }
        let stated = try parameters.smallInteger()
        guard stated == keyLength else { throw parameters.rejection("a key of \(stated) bytes for a cipher of \(keyLength)") }
    }

    /// - Parameter passphrase: not empty.
    func key(from passphrase: [UInt8], length: Int) throws(SigningKeyError) -> SymmetricKey {
        guard !passphrase.isEmpty else { throw .wrongPassphrase }
        do {
            switch self {
            case .pbkdf2(let salt, let iterations, let hash):
                return try KDF.Insecure.PBKDF2.deriveKey(
                    from: passphrase, salt: salt, using: hash, outputByteCount: length, unsafeUncheckedRounds: iterations)
            case .scrypt(let salt, let cost, let blockSize, let parallelism):
                return try KDF.Scrypt.deriveKey(
                    from: passphrase, salt: salt, outputByteCount: length, rounds: cost, blockSize: blockSize,
                    parallelism: parallelism)
            }
        } catch {
            throw .unsupportedEncryption("the key derivation fails")
        }
    }
}
