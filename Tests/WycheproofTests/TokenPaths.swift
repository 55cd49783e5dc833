import AssayCertificates
import AssayCore
import AssayEncoding
import AssaySimulator
import Testing

@testable import PlayIntegrity

/// The paths of signed and encrypted tokens. No path reads a JSON Web Key: the keys of tokens are configured as
/// SubjectPublicKeyInfo or come from a certificate.
enum TokenPaths {
    private static let console = PlayConsole(seed: "wycheproof")

    /// The signed token inside a Play Integrity token, sealed to the app's key as Google does: through the verifier, until the
    /// signature is judged.
    static func play(_ group: WycheproofFile.Group, _ vector: WycheproofFile.Vector) throws -> Bool {
        let key = try curveKey(group) ?? console.verificationKey
        let keys = try #require(PlayKeySet(decryptionKey: console.decryptionKey, verificationKey: key))
        let verifier = PlayIntegrityVerifier(
            identity: PlayIntegrityIdentity(packages: [], signers: nil), keys: [keys], decoding: .local,
            policy: PlayIntegrityPolicy())
        let token = try console.seal(Array(try text(vector).utf8))
        let appraisal = verifier.appraise(
            Evidence(format: .playIntegrity, keyID: [], body: Array(token.utf8)),
            in: AppraisalContext(binding: Binding(embedded: [1]), now: Timestamp(unixSeconds: 1)))
        return appraisal.findings.contains { $0.check == "signature" && $0.outcome == .pass }
    }

    /// A token signed by RS256, with the readers that SafetyNet responses go through; the key stands in for the certificate's.
    static func safetyNet(_ group: WycheproofFile.Group, _ vector: WycheproofFile.Vector) throws -> Bool {
        guard let info = try rsaKey(group) else { return false }
        let bytes = Array(try text(vector).utf8)
        do throws(Rejection) {
            let token = try CompactJWS(parsing: bytes[...])
            try token.header.require("RS256", allowing: "x5c")
            let key = try PublicKey(SubjectPublicKeyInfo(der: info[...]))
            try key.verify(token.signature[...], by: .rsaWithSHA256, over: token.signedPart)
            return true
        } catch {
            return false
        }
    }

    /// An encrypted token to a Play key of 32 bytes: algorithms, lengths, and the opened text.
    static func playEncryption(_ group: WycheproofFile.Group, _ vector: WycheproofFile.Vector) throws -> Bool {
        guard let secret = group.private?.k, let key = Base64.url.decode(secret),
            let keys = PlayKeySet(decryptionKey: key, verificationKey: console.verificationKey)
        else { return false }
        let bytes = Array(try text(vector).utf8)
        do throws(Rejection) {
            let token = try CompactJWE(parsing: bytes[...])
            try PlayIntegrityVerifier.requireAlgorithms(of: token)
            return keys.open(token) != nil
        } catch {
            return false
        }
    }

    /// The token of a test, of either kind.
    static func text(_ vector: WycheproofFile.Vector) throws -> String { try #require(vector.jws ?? vector.jwe).text }

    /// The algorithm that a token's header names; `nil` if it has no header that can be read.
    static func algorithm(of vector: WycheproofFile.Vector) -> String? {
        let bytes = Array(((vector.jws ?? vector.jwe)?.text ?? "").utf8)
        if let signed = try? CompactJWS(parsing: bytes[...]) { return signed.header.algorithm.text }
        guard let sealed = try? CompactJWE(parsing: bytes[...]) else { return nil }
        return [sealed.header.algorithm.text, sealed.header.encryption?.text ?? ""].joined(separator: " with ")
    }

    private static func curveKey(_ group: WycheproofFile.Group) throws -> [UInt8]? {
        guard let key = group.public ?? group.private, key.kty == "EC", key.crv == "P-256" else { return nil }
        return DERWriter.sequence([
            DERWriter.sequence([
                DERWriter.objectIdentifier("1.2.840.10045.2.1"), DERWriter.objectIdentifier("1.2.840.10045.3.1.7"),
            ]),
            DERWriter.bitString([4] + (try key.x.base64URL) + (try key.y.base64URL)),
        ])
    }

    private static func rsaKey(_ group: WycheproofFile.Group) throws -> [UInt8]? {
        guard let key = group.public ?? group.private, key.kty == "RSA" else { return nil }
        let numbers = DERWriter.sequence([
            DERWriter.integer(unsigned: try key.n.base64URL), DERWriter.integer(unsigned: try key.e.base64URL),
        ])
        return DERWriter.sequence([
            DERWriter.sequence([DERWriter.objectIdentifier("1.2.840.113549.1.1.1"), DERWriter.null]),
            DERWriter.bitString(numbers),
        ])
    }
}
