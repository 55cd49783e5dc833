import AssayClient
import AssayCore

extension EvidenceCase {
    /// What tests ask for most, by words for what happened.
    static let outcomes: [EvidenceCase] = [
        EvidenceCase(
            "accepted", "An honest device: evidence of its registered key, or of a new one that it registers.",
            for: [.assert, .register], with: CasePlatform.allCases
        ) { Made(request: try await $0.honest(), expected: nil) },
        EvidenceCase(
            "replayed", "Evidence that was accepted is sent once more.", for: [.assert, .register],
            with: CasePlatform.allCases
        ) { run in
            let request = try await run.honest()
            try await run.accept(request)
            let isCounted = run.purpose == .assert && run.device.platform != .android
            return Made(request: request, expected: isCounted ? .counterNotIncreasing : .challengeReused)
        },
        EvidenceCase(
            "blocked", "An operator has blocked the device.", for: [.assert],
            make: { run in
                Made(request: try await blocked(run), expected: .deviceBlocked)
            }),
        EvidenceCase(
            "unknown", "The device was never registered, or was forgotten.", for: [.assert],
            make: { run in
                Made(request: try await run.signed(by: try run.stranger()), expected: .unknownDevice)
            }),
        EvidenceCase(
            "forged", "A forger signs who does not have the registered key.", for: [.assert],
            make: { run in
                Made(request: try await forged(run), expected: .badSignature)
            }),
        EvidenceCase(
            "tampered", "Another payload arrives than the device signed.", for: [.assert],
            make: { run in
                let challenge = try await run.challenge()
                run.device = try await run.ready()
                let other = ClientData.payloadHash(Array("not what the caller gets".utf8))
                let data = try run.clientData(run.purpose, challenge, other)
                return Made(request: run.request(challenge, try run.device.sign(data)), expected: .badSignature)
            }),
    ]

    static func blocked(_ run: CaseRun) async throws -> VerificationRequest {
        let device = try run.stranger()
        let id = try await run.register(device)
        _ = try await run.client.block(.device(id), app: run.app, reason: "the case of a test")
        return try await run.signed(by: device)
    }

    static func forged(_ run: CaseRun) async throws -> VerificationRequest {
        let challenge = try await run.challenge()
        run.device = try await run.ready()
        return run.request(challenge, try run.device.forge(try run.clientData(challenge)))
    }
}
