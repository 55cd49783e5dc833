import AssayCore
import AssaySimulator

extension EvidenceCase {
    /// Of challenges, and of requests as a whole.
    static let freshness: [EvidenceCase] = [
        EvidenceCase(.challengeInvalid, "A byte of the challenge was changed.", for: [.assert, .register]) { run in
            var challenge = try await run.challenge()
            guard let last = challenge.indices.last else {
                throw CaseError(.malformedRequest, "the challenge is empty")
            }
            challenge[last] ^= 1
            return try await run.honest(challenge)
        },
        EvidenceCase(.challengeWrongPurpose, "The challenge was issued for the other purpose.", for: [.assert, .register]) {
            run in
            let other: Purpose = run.purpose == .assert ? .register : .assert
            return try await run.honest(try await run.issue(other, context: run.asked.context))
        },
        EvidenceCase(.challengeExpired, "The challenge has expired before the evidence arrives.", for: [.assert, .register]) {
            run in
            let challenge = try await run.issue(
                run.purpose, context: run.asked.context, lifetime: .milliseconds(1))
            let request = try await run.honest(challenge)
            try await Task.sleep(for: .milliseconds(5))
            return request
        },
        EvidenceCase(.challengeReused, "The device signs twice over one challenge.", for: [.assert, .register]) { run in
            let challenge = try await run.challenge()
            let request = try await run.honest(challenge)
            try await run.accept(request)
            return run.purpose == .assert ? try await run.honest(challenge) : request
        },
        EvidenceCase(.challengeAttemptsExceeded, "Five forged requests came with the challenge before.", for: [.assert]) {
            run in
            let challenge = try await run.challenge()
            run.device = try await run.ready()
            let data = try run.clientData(challenge)
            // docs/concepts/challenges.md, "Attempts and repetitions".
            for _ in 0..<5 { try await run.send(run.request(challenge, try run.device.forge(data))) }
            return try await run.honest(challenge)
        },
        EvidenceCase(
            .idempotencyKeyReused, "The idempotency key was used for another request.", for: [.assert],
            needs: [.idempotencyKey]
        ) { run in
            var first = try await run.honest(try await run.issue(run.purpose, context: run.asked.context))
            first.expectedDevice = nil
            try await run.acceptUnderKey(first)
            return try await run.honest()
        },
        EvidenceCase(
            .bindingNotAllowed, "The request vouches for a hash of its own.", for: [.assert], needs: [.wholeRequest]
        ) { run in
            let challenge = try await run.issue(run.purpose, context: run.asked.context)
            run.device = try await run.ready()
            let data = try run.clientData(challenge)
            var request = run.request([], try run.device.sign(data))
            (request.binding, request.context) = (.callerOwned(data.hash), [])
            return request
        },
        EvidenceCase(.formatNotAccepted, "An attestation comes where a signature is wanted.", for: [.assert]) { run in
            let challenge = try await run.challenge()
            return run.request(challenge, try run.stranger().attest(try run.clientData(challenge), at: run.now))
        },
        EvidenceCase(
            .evidenceMissing, "A token comes alone, which registers no device.", for: [.register], with: [.android]
        ) { run in
            let challenge = try await run.challenge()
            let token = try run.token(over: try run.clientData(challenge))
            return run.request(challenge, token)
        },
        EvidenceCase(
            .providerDeprecated, "The response is one of SafetyNet.", for: [.assert, .register], with: [.android]
        ) { run in
            let response = Evidence(format: .safetyNet, keyID: [], body: Array("e30.e30.AA".utf8))
            return run.request(try await run.challenge(), response)
        },
        EvidenceCase(
            .offlineNotAllowed, "The capture was signed without a challenge.", for: [.assert], with: [.android],
            needs: [.wholeRequest]
        ) { run in
            let device = try await run.ready()
            guard case .google(let key) = device.key else { throw CaseError(.wrongDevice, "not an Android device") }
            let capture = OfflineCapture(
                capturedAt: run.now,
                payloadHash: run.asked.payloadHash ?? ClientData.payloadHash(Array("a capture".utf8)))
            let scheme = key.key.usualScheme
            let signature = try key.sign(capture.signedBytes(for: run.app), by: scheme)
            var request = run.request(
                [], capture.evidence(keyID: key.keyID, algorithm: scheme.rawValue, signature: signature))
            (request.binding, request.context) = (.inEvidence, [])
            return request
        },
    ]
}
