import AssayCertificates
import AssayCore
import AssayEncoding
import AssaySchemes
import AssayVendors
import Crypto

/// Runs `key-attestation.chain` vectors.
struct KeyAttestationVectorRunner: VectorRunner {
    let kind = EvidenceFormat.keyAttestation.rawValue
    private let links = LinkCache()

    func judge(_ vector: Vector) throws(VectorError) -> VectorOutcome {
        let input = vector.input
        let policy = try input.section(
            "policy",
            known: [
                "trusted_roots", "extra_roots_pem", "min_security_level", "require_root_of_trust", "require_device_locked",
                "allowed_boot_states", "allowed_boot_keys_b64", "require_generated", "require_tag_order", "package_names",
                "signature_digests_b64", "min_os_patch_level",
            ])
        let chain = (try input.texts("chain_pem") ?? []).map { pem in
            // A certificate that is not even PEM is a malformed one.
            (try? PEM.decode(pem)).flatMap { $0.count == 1 ? $0.first : nil } ?? []
        }
        let keyID = try input.bytes("public_key_b64").map { SHA256.bytes(of: $0) } ?? []
        let verifier = KeyAttestationVerifier(
            anchors: try policy.androidAnchors(), policy: try AndroidPolicy(policy), links: links)
        let context = AppraisalContext(
            binding: Binding(callerOwned: try input.bytes("challenge_b64") ?? []),
            facts: Facts(revocation: try input.revocation(vector.verifyAt)),
            now: vector.verifyAt)
        let outcome = judgeFully(
            verifier, Evidence(format: .keyAttestation, keyID: keyID, parts: chain.map { $0[...] }), context)
        return outcome.claims.integer("chain_length_with_root") == Int64(chain.count)
            ? outcome : outcome.without("serial_numbers_hex")
    }
}

extension VectorOutcome {
    /// Serial numbers are claimed for the certificates that were sent. For a root that was left out, the vectors name one of
    /// several versions, which the evidence does not determine.
    fileprivate func without(_ name: String) -> VectorOutcome {
        VectorOutcome(rejection: rejection, claims: Claims(claims.all.filter { $0.name != name }))
    }
}

extension AndroidPolicy {
    /// The names are those of the vectors; omitted members have the default of the vectors' README.
    fileprivate init(_ policy: VectorInput) throws(VectorError) {
        let packages = try policy.texts("package_names")
        let signers = try policy.byteList("signature_digests_b64").map { Set($0) }
        let apps: [AndroidApp]? =
            packages?.map { AndroidApp(packageName: $0, signers: signers) }
            ?? signers.map { [AndroidApp(packageName: nil, signers: $0)] }
        var boot: BootRule? = BootRule(
            requiresLocked: try policy.flag("require_device_locked") ?? true,
            selfSignedKeys: Set(try policy.byteList("allowed_boot_keys_b64") ?? []))
        if let names = try policy.texts("allowed_boot_states") {
            let states = names.compactMap(RootOfTrust.BootState.init(name:))
            guard states.count == names.count else { throw VectorError("policy.allowed_boot_states: an unknown state") }
            boot?.states = Set(states)
        }
        if try policy.flag("require_root_of_trust") == false { boot = nil }
        var minimumLevel = SecurityLevel.trustedEnvironment
        if let name = try policy.text("min_security_level") {
            guard let level = SecurityLevel(name: name) else { throw VectorError("no security level is named \(name)") }
            minimumLevel = level
        }
        var oldest: PatchLevel?
        if let number = try policy.number("min_os_patch_level", UInt64.self) {
            guard let level = PatchLevel(number) else { throw VectorError("policy.min_os_patch_level: \(number) is none") }
            oldest = level
        }
        self.init(
            apps: apps, minimumLevel: minimumLevel, boot: boot,
            patchLevels: PatchLevelRules(os: oldest.map { .level($0) }),
            key: KeyRule(
                origins: try policy.flag("require_generated") ?? true ? [.generated] : Set(KeyOrigin.allCases)),
            requiresTagOrder: try policy.flag("require_tag_order") ?? false)
    }
}

extension VectorInput {
    /// A policy's anchors: `trusted_roots` by group, Google's for hardware by default, and `extra_roots_pem`.
    fileprivate func androidAnchors() throws(VectorError) -> [TrustAnchor] {
        try anchors(
            groups: ["google-hardware": TrustAnchor.googleHardware, "google-software": TrustAnchor.googleSoftware],
            by: "google-hardware")
    }

    /// Google's revocation list of that time.
    fileprivate func revocation(_ now: Timestamp) throws(VectorError) -> RevocationKnowledge {
        guard let document = try json("revocation_status") else { return .notConsulted }
        do throws(AttestationStatusListError) {
            let list = try AttestationStatusList(parsing: document[...])
            let feed = FeedVersion(name: "google-attestation-status", id: "vector", asOf: now)
            return .snapshot(RevocationSnapshot(feed: feed, bySerial: list.entries, oddEntries: list.oddEntries))
        } catch {
            throw VectorError("revocation_status: \(error)")
        }
    }
}
