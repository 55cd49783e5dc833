import AssayAPI
import AssayClient
import AssayCore
import AssaySimulator

/// A virtual phone's session: a genuine device's requests, and attacks with the evidence that it sent.
struct SimulatedSession {
    var key: VirtualKey
    let app: AppID
    let timeout: Duration

    private let photo = Array("a photo of a passport".utf8)
    private let otherPhoto = Array("a photo of another passport".utf8)

    init(key: VirtualKey, app: AppID, timeout: Duration) {
        (self.key, self.app, self.timeout) = (key, app, timeout)
    }

    mutating func run(_ client: AssayClient) async throws(AssayError) -> [SessionStep] {
        var steps: [SessionStep] = []

        let enrolment = try await challenge(.register, client)
        let attestation = try attest(enrolment, key)
        let register = request(enrolment, .appAttestAttestation, attestation, payload: photo)
        let registration = try await step(
            "A phone attests its key and is registered", SessionStep.registration, register, client)
        steps.append(registration)
        steps.append(
            try await step("An attacker sends the same attestation again", registration.replay, register, client))

        let first = try await challenge(.assert, client)
        let early = try await challenge(.assert, client)
        let earlyAssertion = try assert(early, photo)
        let assertion = try assert(first, photo)
        let upload = request(first, .appAttestAssertion, assertion, payload: photo)
        steps.append(try await step("The phone uploads a photo", .accepted, upload, client))
        steps.append(
            try await step("An attacker sends the same upload again", .rejected(.counterNotIncreasing), upload, client))
        // In order only if the app requires it: parallel uploads overtake each other.
        let late = request(early, .appAttestAssertion, earlyAssertion, payload: photo)
        steps.append(
            try await step(
                "An upload that was signed earlier arrives late", .acceptedUnless(.counterNotIncreasing), late, client))
        steps.append(try await step("An attacker sends the late one again", .rejected(.counterNotIncreasing), late, client))

        let next = try await challenge(.assert, client)
        steps.append(
            try await step(
                "An attacker sends the old assertion with a new challenge", .rejected(.badSignature),
                request(next, .appAttestAssertion, assertion, payload: photo), client))
        let fresh = try assert(next, photo)
        steps.append(
            try await step(
                "An attacker replaces the photo", .rejected(.badSignature),
                request(next, .appAttestAssertion, fresh, payload: otherPhoto), client))
        steps.append(
            try await step(
                "The phone's own upload still arrives", .accepted,
                request(next, .appAttestAssertion, fresh, payload: photo), client))

        let stolen = try await challenge(.assert, client)
        var otherSession = request(stolen, .appAttestAssertion, try assert(stolen, photo), payload: photo)
        otherSession.context = Array("another session".utf8)
        steps.append(
            try await step("A challenge is carried into another session", .rejected(.challengeInvalid), otherSession, client))

        steps.append(try await forgery(client))
        return steps
    }

    /// A phone that is genuine in all but its authority: the right app and the right format.
    private func forgery(_ client: AssayClient) async throws(AssayError) -> SessionStep {
        var phone = VirtualPhone(authority: TestAuthority(), appID: key.phone.appID, environment: key.phone.environment)
        let forged = phone.makeKey()
        let enrolment = try await challenge(.register, client)
        let attestation = try attest(enrolment, forged)
        var forgery = request(enrolment, .appAttestAttestation, attestation, payload: photo)
        forgery.evidence = [Evidence(format: .appAttestAttestation, keyID: forged.keyID, body: attestation)]
        return try await step(
            "A forger attests a key under an authority of its own", .rejected(.untrustedRoot), forgery, client)
    }

    // MARK: Parts

    private func challenge(_ purpose: Purpose, _ client: AssayClient) async throws(AssayError) -> SessionChallenge {
        try await SessionChallenge(purpose, app: app, from: client, timeout: timeout)
    }

    private func attest(_ asked: SessionChallenge, _ key: VirtualKey) throws(AssayError) -> [UInt8] {
        let hash = try asked.clientData(photo).hash
        do { return try key.attest(clientDataHash: hash, at: SystemClock().now()) } catch {
            throw AssayError(.internalError, "the virtual phone cannot sign: \(error)")
        }
    }

    private mutating func assert(_ asked: SessionChallenge, _ payload: [UInt8]) throws(AssayError) -> [UInt8] {
        let hash = try asked.clientData(payload).hash
        do { return try key.assert(clientDataHash: hash) } catch {
            throw AssayError(.internalError, "the virtual phone cannot sign: \(error)")
        }
    }

    private func request(
        _ asked: SessionChallenge, _ format: EvidenceFormat, _ body: [UInt8], payload: [UInt8]? = nil
    ) -> VerificationRequest {
        asked.request(app: app, Evidence(format: format, keyID: key.keyID, body: body), payload: payload)
    }

    private func step(
        _ title: String, _ expected: SessionStep.Expected, _ request: VerificationRequest, _ client: AssayClient
    ) async throws(AssayError) -> SessionStep {
        SessionStep(title: title, expected: expected, verdict: try await client.verify(request, timeout: timeout))
    }
}
