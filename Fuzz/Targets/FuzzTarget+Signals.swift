import AssayCore

extension FuzzTarget {
    static func signals(_ bytes: [UInt8]) {
        if let document = try? SignalDocument(parsing: bytes) {
            let scene = SceneAnalysis(counted: document, digest: [UInt8](repeating: 0, count: 32))
            for profile in ConfidenceProfile.allCases {
                for platform in DevicePlatform.allCases {
                    let hardware = HardwareAttestation(.hardware, platform: platform, simulated: false)
                    let confidence = ConfidenceRule(profile: profile).assess(
                        scene, platform: platform, hardware, receivedAt: Timestamp(unixSeconds: 1_790_000_000))
                    let model = EvidenceModel(confidence)
                    guard (try? EvidenceModel(parsing: model.json))?.json == model.json else {
                        fatalError("a model that was written is not read as it was")
                    }
                }
            }
        }
        if let model = try? EvidenceModel(parsing: bytes) { _ = model.json }
    }
}
