import AssayClient
import AssayCore
import AssaySimulator

/// A virtual Android device's session: a genuine device's requests, and attacks with the evidence that it sent.
struct SimulatedAndroidSession {
    let key: AndroidKey
    let app: AppID
    let timeout: Duration
    /// The expected result of the registration. A session whose registration is to be refused ends with it.
    let registration: SessionStep.Expected

    private let photo = Array("a photo of a passport".utf8)
    private let otherPhoto = Array("a photo of another passport".utf8)

    init(key: AndroidKey, app: AppID, timeout: Duration, registration: SessionStep.Expected) {
        (self.key, self.app, self.timeout, self.registration) = (key, app, timeout, registration)
    }

    func run(_ client: AssayClient) async throws(AssayError) -> [SessionStep] {
        let enrolment = try await challenge(.register, client)
        let chain = try made(over: try enrolment.clientData(photo)) { (challenge) throws(SimulatorError) in
            try key.attest(challenge: challenge, at: SystemClock().now())
        }
        let register = enrolment.request(
            app: app, Evidence(format: .keyAttestation, keyID: [], body: Evidence.join(chain)), payload: photo)
        let first = try await step("An Android device attests its key", registration, register, client)
        if case .rejected = registration { return [first] }
        let again = try await step("An attacker sends the same attestation again", first.replay, register, client)
        return try await [first, again] + uploads(client) + forgeries(below: chain, client)
    }

    private func uploads(_ client: AssayClient) async throws(AssayError) -> [SessionStep] {
        var steps: [SessionStep] = []
        let first = try await challenge(.assert, client)
        let signature = try sign(first, photo)
        let upload = first.request(app: app, signature, payload: photo)
        steps.append(try await step("The device uploads a photo", .accepted, upload, client))
        steps.append(try await step("An attacker sends the same upload again", .rejected(.challengeReused), upload, client))

        let next = try await challenge(.assert, client)
        steps.append(
            try await step(
                "An attacker sends the old signature with a new challenge", .rejected(.badSignature),
                next.request(app: app, signature, payload: photo), client))
        let fresh = try sign(next, photo)
        steps.append(
            try await step(
                "An attacker replaces the photo", .rejected(.badSignature),
                next.request(app: app, fresh, payload: otherPhoto), client))
        steps.append(
            try await step(
                "The device's own upload still arrives", .accepted, next.request(app: app, fresh, payload: photo), client))

        let stolen = try await challenge(.assert, client)
        var otherSession = stolen.request(app: app, try sign(stolen, photo), payload: photo)
        otherSession.context = Array("another session".utf8)
        steps.append(
            try await step("A challenge is carried into another session", .rejected(.challengeInvalid), otherSession, client))
        return steps
    }

    /// Devices that are not genuine in one property.
    private func forgeries(below chain: [[UInt8]], _ client: AssayClient) async throws(AssayError) -> [SessionStep] {
        let now = SystemClock().now()
        let unknown = try await challenge(.register, client)
        let foreign = try made(over: try unknown.clientData(photo)) { (challenge) throws(SimulatorError) in
            var device = VirtualAndroid(
                authority: AndroidAuthority(seed: "a forger's"), application: key.device.application,
                level: key.device.level)
            return try device.makeKey().attest(challenge: challenge, at: now)
        }
        let extended = try await challenge(.register, client)
        let longer = try made(over: try extended.clientData(photo)) { (challenge) throws(SimulatorError) in
            var device = key.device
            return try key.extend(chain, with: try device.makeKey(), challenge: challenge, at: now)
        }
        return [
            try await step(
                "A forger attests a key under an authority of its own", .rejected(.untrustedRoot),
                unknown.request(
                    app: app, Evidence(format: .keyAttestation, keyID: [], body: Evidence.join(foreign)), payload: photo),
                client),
            try await step(
                "A forger lets the genuine key attest another one", .rejected(.chainExtended),
                extended.request(
                    app: app, Evidence(format: .keyAttestation, keyID: [], body: Evidence.join(longer)), payload: photo), client
            ),
        ]
    }

    // MARK: Parts

    private func challenge(_ purpose: Purpose, _ client: AssayClient) async throws(AssayError) -> SessionChallenge {
        try await SessionChallenge(purpose, app: app, from: client, timeout: timeout)
    }

    private func sign(_ asked: SessionChallenge, _ payload: [UInt8]) throws(AssayError) -> Evidence {
        let scheme = key.key.usualScheme
        let signature = try made(over: try asked.clientData(payload)) { (message) throws(SimulatorError) in
            try key.sign(message, by: scheme)
        }
        return Evidence(format: .keySignature, keyID: key.keyID, body: Evidence.join([[scheme.rawValue], signature]))
    }

    private func made<T>(
        over clientData: ClientData, _ make: ([UInt8]) throws(SimulatorError) -> T
    ) throws(AssayError) -> T {
        do { return try make(clientData.bytes) } catch {
            throw AssayError(.internalError, "the virtual device cannot sign: \(error)")
        }
    }

    private func step(
        _ title: String, _ expected: SessionStep.Expected, _ request: VerificationRequest, _ client: AssayClient
    ) async throws(AssayError) -> SessionStep {
        SessionStep(title: title, expected: expected, verdict: try await client.verify(request, timeout: timeout))
    }
}
