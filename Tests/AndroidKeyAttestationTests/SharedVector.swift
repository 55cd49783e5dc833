import AssayCertificates
import AssayCore
import AssayEncoding
import Foundation

@testable import AndroidKeyAttestation

/// An accepted vector of the shared collection, with its expectation.
struct SharedVector: Sendable {
    let certificates: [[UInt8]]
    let challenge: [UInt8]
    let time: Timestamp
    let anchors: [TrustAnchor]

    static let folder: URL? = {
        let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let named = ProcessInfo.processInfo.environment["ASSAY_VECTORS"].map { URL(filePath: $0) }
        let candidates = [named, package.appending(path: "../shared/vectors")].compactMap {
            $0?.appending(path: "key-attestation")
        }
        let found = candidates.first { FileManager.default.fileExists(atPath: $0.path) }
        if found == nil { print("The vectors are not here (set ASSAY_VECTORS); the suites that need them are skipped.") }
        return found
    }()

    init?(_ id: String) throws {
        guard let folder = Self.folder,
            let object = try JSONSerialization.jsonObject(with: Data(contentsOf: folder.appending(path: id + ".json")))
                as? [String: Any], let input = object["input"] as? [String: Any], let pems = input["chain_pem"] as? [String],
            let challenge = (input["challenge_b64"] as? String).flatMap({ Base64.standard.decode($0) }),
            let time = (object["verify_at"] as? String).flatMap({ Timestamp(rfc3339: $0) })
        else { return nil }
        certificates = try pems.compactMap { try PEM.decode($0).first }
        self.challenge = challenge
        self.time = time
        let extra = (input["policy"] as? [String: Any])?["extra_roots_pem"] as? [String] ?? []
        anchors = try TrustAnchor.googleHardware + extra.map { try TrustAnchor(name: "extra", pem: $0, simulated: true) }
    }

    func appraise(
        _ certificates: [[UInt8]]? = nil, keyID: [UInt8] = [], policy: AndroidPolicy = AndroidPolicy(apps: nil),
        use: AttestationKeyUse? = nil, links: LinkCache = LinkCache(capacity: 0)
    ) -> Appraisal {
        KeyAttestationVerifier(anchors: anchors, policy: policy, links: links).appraise(
            evidence(certificates, keyID: keyID), in: context(use: use))
    }

    func context(use: AttestationKeyUse? = nil, reading: (any EvidenceReading)? = nil) -> AppraisalContext {
        AppraisalContext(
            binding: Binding(callerOwned: challenge), facts: Facts(attestationKeyUse: use), now: time, reading: reading)
    }

    func evidence(_ certificates: [[UInt8]]? = nil, keyID: [UInt8] = []) -> Evidence {
        Evidence(format: .keyAttestation, keyID: keyID, body: Evidence.join(certificates ?? self.certificates))
    }
}
