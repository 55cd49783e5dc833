package import AssayCore

extension VerdictRecord {
    package static let sampleTime = Timestamp(unixSeconds: 1_750_000_000)

    /// A record with a value in each field.
    ///
    /// - Parameter milliseconds: its time, from ``sampleTime`` on.
    package static func sample(
        _ milliseconds: Int64 = 0, id: [UInt8] = SecureRandom.bytes(16), app: String = "camera", caller: String = "uploads",
        device: DeviceID? = .random(), subject: [UInt8] = [UInt8](repeating: 0x5B, count: 32), code: String = "nonce_mismatch",
        decision: Decision = .rejected, sentence: String = "expected 00, found 01", standsFor: Int64 = 1
    ) -> VerdictRecord {
        let rejection = Rejection(FailureCode(rawValue: code) ?? .malformed, sentence)
        let request = Request(
            id: id, time: sampleTime.adding(milliseconds: milliseconds), caller: caller,
            app: AppID(app) ?? AppID.sample, purpose: .assert, formats: [EvidenceFormat(rawValue: "sample")], subject: subject,
            evidenceDigest: [UInt8](repeating: 0xED, count: 32), binding: .clientData,
            payloadDigest: [UInt8](repeating: 0xBD, count: 32))
        return VerdictRecord(
            request, decision,
            reason: decision == .accepted
                ? nil : Reason(code: code, check: "nonce", sentence: sentence, retry: rejection.retry),
            assurance: decision == .accepted ? .hardware : .none, device: device,
            findings: [
                .pass("challenge"), .note("registry", "subject_not_registered", "a note"), .fail("nonce", rejection),
                Finding(check: "counter", outcome: .skipped),
            ],
            policyDigest: [UInt8](repeating: 0x70, count: 32),
            feeds: [FeedVersion(name: "list", id: "0123456789abcdef", asOf: sampleTime)], simulated: true, standsFor: standsFor)
    }
}

extension AppID {
    /// Well-formed.
    fileprivate static let sample: AppID = {
        guard let app = AppID("camera") else { fatalError("\"camera\" is the name of no app") }
        return app
    }()
}
