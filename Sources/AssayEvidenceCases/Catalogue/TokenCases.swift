import AssayCore
import AssaySimulator

extension EvidenceCase {
    /// Google's tokens about app and device, which stand alone.
    static let playTokens: [EvidenceCase] = [
        EvidenceCase(
            "accepted_token", "A token of the genuine app on a certified device.", for: [.assert], with: [.android]
        ) { run in
            let challenge = try await run.challenge()
            return Made(
                request: run.request(challenge, try run.token(over: try run.clientData(challenge))), expected: nil)
        },
        EvidenceCase(.malformedToken, "The token is no token.", for: [.assert], with: [.android]) { run in
            run.request(
                try await run.challenge(), Evidence(format: .playIntegrity, keyID: [], body: Array("not-a-token".utf8)))
        },
        EvidenceCase(.badAlgorithm, "The token is encrypted in another way.", for: [.assert], with: [.android]) { run in
            let challenge = try await run.challenge()
            let verdict = CasePolicy.verdict(nonce: try run.clientData(challenge).bytes, at: run.now)
            let console = run.policy.console
            let header = JSONDraft.object([.init("alg", .text("dir")), .init("enc", .text("A256GCM"))])
            return run.request(
                challenge, CaseRun.evidence(try console.seal(try console.sign(verdict.bytes), header: header)))
        },
        EvidenceCase(.decryptionFailed, "The token is one of another app.", for: [.assert], with: [.android]) { run in
            let challenge = try await run.challenge()
            let verdict = CasePolicy.verdict(nonce: try run.clientData(challenge).bytes, at: run.now)
            return run.request(challenge, CaseRun.evidence(try PlayConsole().token(verdict)))
        },
        token(.nonceMismatch, "The token was made for another request.") {
            $0["requestDetails", "nonce"] = .text(Base64.url.encode([UInt8](repeating: 7, count: 93)))
        },
        token(.requestHashMismatch, "The token is bound to another hash.") {
            $0["requestDetails", "nonce"] = nil
            $0["requestDetails", "requestHash"] = .text(Base64.url.encode([UInt8](repeating: 7, count: 32)))
        },
        token(.staleTimestamp, "The token was made ten minutes ago.") {
            let time = SystemClock().now().adding(milliseconds: -600_000)
            $0["requestDetails", "timestampMillis"] = .text(String(time.unixMilliseconds))
        },
        token(.testingResponse, "The token is a test response of the Play Console.") {
            $0["testingDetails", "isTestingResponse"] = .boolean(true)
        },
        token(.packageMismatch, "The token is about another app.") {
            $0["appIntegrity", "packageName"] = .text("com.example.other")
        },
        token(.signerMismatch, "The app is signed by someone else.") {
            $0["appIntegrity", "certificateSha256Digest"] = .texts([Base64.url.encode([UInt8](repeating: 4, count: 32))])
        },
        token(.appVerdict, "Google Play does not know the app.") {
            $0["appIntegrity", "appRecognitionVerdict"] = .text("UNRECOGNIZED_VERSION")
        },
        token(.appVersion, "The app is an old version.") { $0["appIntegrity", "versionCode"] = .text("41") },
        token(.deviceVerdict, "The device is not certified.") {
            $0["deviceIntegrity", "deviceRecognitionVerdict"] = .texts(["MEETS_BASIC_INTEGRITY"])
        },
        token(.osVersion, "The system is an old version.") {
            $0["deviceIntegrity", "deviceAttributes", "sdkVersion"] = .integer(31)
        },
        token(.sdkVersionUnevaluated, "Google does not say which version the system is.") {
            $0["deviceIntegrity", "deviceAttributes"] = nil
        },
        token(.appNotLicensed, "The account did not get the app from Google Play.") {
            $0["accountDetails", "appLicensingVerdict"] = .text("UNLICENSED")
        },
        token(.licenseUnevaluated, "Google did not look for a licence.") {
            $0["accountDetails", "appLicensingVerdict"] = .text("UNEVALUATED")
        },
        token(.playProtect, "Play Protect found a harmful app.") {
            $0["environmentDetails", "playProtectVerdict"] = .text("HIGH_RISK")
        },
        token(.appAccessRisk, "Another app can record the screen.") {
            $0["environmentDetails", "appAccessRiskVerdict", "appsDetected"] = .texts(["UNKNOWN_CAPTURING"])
        },
        token(.deviceActivity, "The device asked for very many tokens.") {
            $0["deviceIntegrity", "recentDeviceActivity", "deviceActivityLevel"] = .text("LEVEL_4")
        },
        token(.deviceRecalled, "The service marked the device before.") {
            $0["deviceIntegrity", "deviceRecall", "values", "bitFirst"] = .boolean(true)
        },
        token(.accountActivity, "The account's activity is unusual.") {
            $0["accountDetails", "accountActivity", "activityLevel"] = .text("UNUSUAL")
        },
    ]

    private static func token(
        _ code: ReasonCode, _ summary: String, edit: @escaping @Sendable (inout JSONDraft) -> Void
    ) -> EvidenceCase {
        EvidenceCase(code, summary, for: [.assert], with: [.android]) { run in
            let challenge = try await run.challenge()
            return run.request(challenge, try run.token(over: try run.clientData(challenge), edit: edit))
        }
    }
}

extension CaseRun {
    /// A token of a classic request over client data.
    func token(over data: ClientData, edit: (inout JSONDraft) -> Void = { _ in }) throws(SimulatorError) -> Evidence {
        var verdict = CasePolicy.verdict(nonce: data.bytes, at: now)
        edit(&verdict)
        return Self.evidence(try policy.console.token(verdict))
    }

    static func evidence(_ token: String) -> Evidence {
        Evidence(format: .playIntegrity, keyID: [], body: Array(token.utf8))
    }
}
