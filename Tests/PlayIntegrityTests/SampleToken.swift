import AssayCore
import AssaySimulator
import PlayIntegrity
import Testing

/// An app, its tokens, and the expectation.
struct SampleToken {
    static let package = "com.example.shop"
    static let now = Timestamp(unixMilliseconds: 1_750_000_000_000)

    var console = PlayConsole(seed: "shop")
    var signer = [UInt8](repeating: 0xAB, count: 32)
    var policy = PlayIntegrityPolicy()
    var decoding = PlayDecoding.local
    /// Newest first; by default those of `console`.
    var keys: [PlayKeySet]?
    var now = Self.now

    let binding: Binding

    init() throws {
        let challenge = [UInt8](repeating: 3, count: Challenge.length)
        binding = Binding(try #require(ClientData(purpose: .assert, challenge: challenge)))
    }

    /// A valid payload of a standard request.
    var standard: JSONDraft {
        .playPayload(package: Self.package, signer: signer, requestHash: binding.clientDataHash, at: now)
    }

    /// A valid payload of a classic request.
    var classic: JSONDraft {
        .playPayload(package: Self.package, signer: signer, nonce: binding.clientData, at: now)
    }

    func keySet(_ console: PlayConsole? = nil) throws -> PlayKeySet {
        let console = console ?? self.console
        return try #require(PlayKeySet(decryptionKey: console.decryptionKey, verificationKey: console.verificationKey))
    }

    func verifier() throws -> PlayIntegrityVerifier {
        PlayIntegrityVerifier(
            identity: PlayIntegrityIdentity(packages: [Self.package], signers: [signer]), keys: try keys ?? [keySet()],
            decoding: decoding, policy: policy)
    }

    func evidence(_ token: String) -> Evidence {
        Evidence(format: .playIntegrity, keyID: [], body: Array(token.utf8))
    }

    func judge(token: String, key: AttestedKey? = nil) throws -> Appraisal {
        try verifier().appraise(evidence(token), in: AppraisalContext(binding: binding, attestedKey: key, now: now))
    }

    func judge(_ payload: JSONDraft, key: AttestedKey? = nil) throws -> Appraisal {
        try judge(token: console.token(payload), key: key)
    }

    func judge(reply: OutsideAnswer?) throws -> Appraisal {
        try verifier().appraise(
            evidence(signedElsewhere),
            in: AppraisalContext(binding: binding, facts: Facts(outsideAnswer: reply), now: now))
    }

    /// Tokens of which only the form can be checked here: encrypted to another key, and not encrypted.
    var sealedElsewhere: String {
        Self.compact(
            #"{"alg":"A256KW","enc":"A256GCM"}"#, String(repeating: "k", count: 40), "twelve bytes", "ciphertext..",
            "sixteen bytes 16")
    }
    var signedElsewhere: String { Self.compact(#"{"alg":"ES256"}"#, "payload", "signature") }

    private static func compact(_ parts: String...) -> String {
        parts.map { Base64.url.encode(Array($0.utf8)) }.joined(separator: ".")
    }

    /// Texts that a lenient reader reads as the same token: each part with surplus bits, or with padding.
    func respellings(of token: String) throws -> [String] {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        var texts: [String] = []
        for (index, part) in parts.enumerated() {
            guard part.utf8.count % 4 != 0 else { continue }
            let last = try #require(part.utf8.last)
            for other in [
                String(part.dropLast()) + String(UnicodeScalar(last + 1)),
                part + String(repeating: "=", count: 4 - part.utf8.count % 4),
            ] {
                var parts = parts
                parts[index] = other
                texts.append(parts.joined(separator: "."))
            }
        }
        try #require(!texts.isEmpty)
        return texts
    }

    /// The code for the valid payload of a standard request after a change; `nil` if it is accepted.
    func code(_ change: (inout JSONDraft) -> Void) throws -> String? {
        var payload = standard
        change(&payload)
        return try judge(payload).failure?.code
    }
}

extension Appraisal {
    var code: String? { failure?.code }
    var isAccepted: Bool { if case .accept = Decision([self]) { true } else { false } }

    func notes(at check: String) -> [String] {
        findings.filter { $0.check == check && $0.outcome == .note }.map(\.code)
    }
}
