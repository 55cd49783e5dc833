import AssaySimulator

extension FuzzSeeds {
    /// Requests for a key of each curve, with and without extensions that they ask for.
    static var certificateRequests: [(name: String, bytes: [UInt8])] {
        get throws {
            var seeds: [(name: String, bytes: [UInt8])] = []
            for kind in [TestKey.Kind.p256, .p384, .ed25519] {
                let key = try TestKey(kind, seed: "fuzz", label: "request")
                var draft = CertificateRequestDraft(key)
                seeds.append(("certificate-request/\(kind.rawValue)", try draft.signed(by: key)))
                draft.attributes = [
                    CertificateRequestDraft.extensionRequest([.basicConstraints(ca: true), .keyUsage(.keyCertSign)])
                ]
                seeds.append(("certificate-request/\(kind.rawValue)-extensions", try draft.signed(by: key)))
            }
            return seeds
        }
    }
}
