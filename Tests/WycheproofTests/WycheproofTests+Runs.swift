import AssayCertificates
import AssayCore
import AssayEncoding
import AssayTesting
import Foundation

/// The runs of a file through one path, and the written reasons for what is refused although it is valid.
extension WycheproofTests {
    typealias Reason = (WycheproofFile.Group, WycheproofFile.Vector) -> String?

    static func key(
        _ file: String, _ algorithm: KeySignatureAlgorithm, refusing reason: Reason = { _, _ in nil }
    ) throws -> Run {
        try Run(file, through: "a key signature", refusing: reason) {
            try SignaturePaths.keySignature($0, $1, by: algorithm)
        }
    }

    static func chain(
        _ file: String, _ algorithm: SignatureAlgorithm, refusing reason: Reason = { _, _ in nil }
    ) throws -> Run {
        try Run(file, through: "a certificate's signature", refusing: reason) {
            try SignaturePaths.certificate($0, $1, by: algorithm)
        }
    }

    static func bundle(_ file: String, refusing reason: Reason = { _, _ in nil }) throws -> Run {
        try Run(file, through: "a certificate bundle", refusing: reason) { try SignaturePaths.bundle($0, $1) }
    }

    static func signedTokens(_ file: String) throws -> [Run] {
        [
            try Run(
                file, through: "a Play Integrity token",
                refusing: { $0.hasWebKeySet ? webKeys : other(than: "ES256", $1) }, leavingOut: keyUse,
                accepts: { try TokenPaths.play($0, $1) }),
            try Run(
                file, through: "a SafetyNet response",
                refusing: { $0.hasWebKeySet ? webKeys : other(than: "RS256", $1) }, leavingOut: keyUse,
                accepts: { try TokenPaths.safetyNet($0, $1) }),
        ]
    }

    static func sealedTokens(_ file: String) throws -> Run {
        try Run(
            file, through: "an encrypted Play Integrity token", refusing: { other(than: "A256KW with A256GCM", $1) },
            accepts: { try TokenPaths.playEncryption($0, $1) })
    }

    /// Keys of X25519 can be attested and registered; they verify no signature.
    static func agreement(_ file: String) throws -> Run {
        try Run(file, through: "a key signature", refusing: { _, _ in "X25519 agrees on keys, and signs nothing" }) {
            _, vector in
            let info = DERWriter.sequence([
                DERWriter.sequence([DERWriter.objectIdentifier("1.3.101.110")]), DERWriter.bitString(try vector.public.bytes),
            ])
            return try SignaturePaths.keySignature(
                info, message: vector.private.bytes, signature: vector.shared.bytes, by: .ed25519)
        }
    }

    static func rawForm(_: WycheproofFile.Group, _: WycheproofFile.Vector) -> String? { "such signatures are DER, not r ‖ s" }

    static func otherCurve(_: WycheproofFile.Group, _: WycheproofFile.Vector) -> String? {
        "no platform has keys on secp256k1 (`unsupported_key`)"
    }

    static func context(_: WycheproofFile.Group, _ vector: WycheproofFile.Vector) -> String? {
        (vector.ctx ?? "").isEmpty ? nil : "signed with a context, and none is used"
    }

    static func nonceLength(_ group: WycheproofFile.Group, _: WycheproofFile.Vector) -> String? {
        group.ivSize == 96 ? nil : "nonces have 96 bits"
    }

    static func shortCode(_ group: WycheproofFile.Group, _: WycheproofFile.Vector) -> String? {
        group.tagSize == 256 ? nil : "MACs are whole, 256 bits"
    }

    static func passphrase(_: WycheproofFile.Group, _ vector: WycheproofFile.Vector) -> String? {
        if vector.password?.isEmpty ?? true { return "an empty passphrase protects nothing" }
        return [16, 24, 32].contains(vector.dkLen ?? 0) ? nil : "no AES key has this length"
    }

    private static let webKeys = "no JSON Web Key is read; keys are configured, or come from a certificate"

    /// Keys whose own members (`use`, `key_ops`, `alg`) forbid what the token does with them: they reach no path, as no JSON Web Key is read.
    private static func keyUse(_ group: WycheproofFile.Group, _ vector: WycheproofFile.Vector) -> String? {
        ["rsa_encryption", "ec_key_for_encryption", "jws_rsa_roca_key"].contains(group.comment)
            || vector.comment == "UsingRS256"
            ? "the fault is in a JSON Web Key, and none is read" : nil
    }

    private static func other(than algorithm: String, _ vector: WycheproofFile.Vector) -> String? {
        TokenPaths.algorithm(of: vector) == algorithm ? nil : "another algorithm than \(algorithm)"
    }

    /// The names of the folder's files, without their extension.
    static func present(_ folder: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".json") }
            .map { String($0.dropLast(5)) }.sorted()
    }
}
