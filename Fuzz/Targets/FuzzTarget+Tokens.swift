import AssayCertificates
import AssayCore
import AssaySimulator
import PlayIntegrity
import SafetyNet

extension FuzzTarget {
    private static let console = PlayConsole(seed: "fuzz")

    static func tokens(_ bytes: [UInt8]) {
        let binding = Binding(callerOwned: [UInt8](repeating: 7, count: 32))
        let keys = PlayKeySet(decryptionKey: console.decryptionKey, verificationKey: console.verificationKey)
        let identity = PlayIntegrityIdentity(packages: ["com.example.fuzz"], signers: [binding.clientData])
        let verifier = PlayIntegrityVerifier(
            identity: identity, keys: keys.map { [$0] } ?? [], decoding: .localThenGoogle, policy: PlayIntegrityPolicy())
        // As a token, as Google's answer, and as the decrypted content of a token: a fuzzer never passes the encryption.
        let sealed = [
            bytes, (try? console.seal(bytes)).map { Array($0.utf8) },
            (try? console.seal(console.sign(bytes))).map { Array($0.utf8) },
        ]
        for token in sealed.compactMap({ $0 }) {
            let evidence = Evidence(format: .playIntegrity, keyID: [], body: token)
            _ = try? verifier.locate(evidence)
            _ = verifier.appraise(evidence, in: AppraisalContext(binding: binding, now: now))
            _ = PlayIntegrityExplanation.token(token[...], keys: keys.map { [$0] } ?? [])
        }
        let evidence = Evidence(format: .playIntegrity, keyID: [], body: [0x61])
        let answered = Facts(outsideAnswer: .answered(bytes))
        _ = verifier.appraise(evidence, in: AppraisalContext(binding: binding, facts: answered, now: now))
        _ = PlayIntegrityExplanation.answer(bytes[...])
        _ = SafetyNetExplanation.response(bytes[...])
        let response = Evidence(format: .safetyNet, keyID: [], body: bytes)
        _ = SafetyNetVerifier(anchors: TrustAnchor.safetyNet, policy: SafetyNetPolicy())
            .appraise(response, in: AppraisalContext(binding: binding, now: now))
    }
}
