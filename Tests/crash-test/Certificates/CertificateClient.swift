import AssayAPI
import AssayClient
import AssayCore
import AssaySimulator
import AssayTesting

/// One caller of the load that certificates are for: it asks for them, renews and revokes them, and submits bundles, one request after
/// the other, chosen by its own random numbers.
struct CertificateClient: Sendable {
    let load: Load
    /// The number of the daemon that the client is connected to.
    let daemon: Int
    let client: AssayClient
    var numbers: SeededNumbers
    /// Those that only this caller uses.
    var devices: [CertifiedDevice]
    let isOutOfTime: Bool

    var home: Home { load.home }
    var expected: ExpectedCertificates { load.expected.certificates }

    mutating func run() async throws {
        try await load.untilOver { try await step() }
    }

    private mutating func step() async throws {
        switch numbers.next() % 20 {
        case 0..<3: try await issueToPhone()
        case 3..<5: try await issueToAndroid()
        case 5..<7: try await provision()
        case 7..<13: try await submit()
        case 13..<15: try await renew()
        case 15: try await repeatRequest()
        case 16: try await repeatBundle()
        case 17: try await end()
        case 18: try await certifyAgain()
        default: try await provisionAgain()
        }
    }

    // MARK: Bundles

    private mutating func submit() async throws {
        guard let device = takeDevice() else { return try await issueToPhone() }
        guard let current = device.certificates.last else { return }
        let bundle = ExpectedCertificates.Bundle(
            json: try current.request.bundle(current.der), app: device.app, device: device.id,
            certificate: device.certificates.count - 1, isOutOfTime: isOutOfTime)
        let outage = load.outage.number
        let verdict: Assay_V1_Verdict
        do { verdict = try await client.submit(bundle.json, app: bundle.app) } catch {
            expected.edit { $0.openBundles.append(bundle) }
            throw error
        }
        devices.append(device)
        guard verdict.decision == .accepted else {
            load.findings.expect(isOutOfTime, "a good bundle was refused: \(verdict.reason) (\(verdict.detail))")
            return load.countRefused()
        }
        load.findings.expect(!verdict.repeated, "a new bundle is marked as repeated")
        load.findings.expect(Array(verdict.deviceID) == device.id, "a bundle was accepted for another device")
        expectNoOutage(since: outage)
        expected.accepted(bundle)
        load.countAccepted(by: daemon)
    }

    // MARK: Repetitions

    /// The same request under its idempotency key gets the same certificate.
    private mutating func repeatRequest() async throws {
        guard let certificate = devices.randomElement(using: &numbers)?.certificates.randomElement(using: &numbers),
            !certificate.request.idempotencyKey.isEmpty, !certificate.mayHaveExpired, !isOutOfTime
        else { return try await provision() }
        let answer = try await client.send(certificate.request)
        load.findings.expect(
            certificate.isRepeated(by: answer), "a repeated request gets another certificate, or none: \(answer)")
        load.countRefused()
    }

    private mutating func repeatBundle() async throws {
        let device = devices.randomElement(using: &numbers)
        guard let bundle = expected.now.bundles.last(where: { $0.device == device?.id }) else { return try await submit() }
        let verdict = try await client.submit(bundle.json, app: bundle.app)
        load.findings.expect(
            verdict.decision == .accepted && verdict.repeated || isOutOfTime && verdict.decision == .rejected,
            "a repeated bundle gives \(verdict.decision) \(verdict.reason), and is \(verdict.repeated ? "" : "not ")marked")
        load.countRefused()
    }

    // MARK: Requests to be refused

    /// Blocks a device or revokes a certificate, and checks the effect.
    private mutating func end() async throws {
        guard let device = takeDevice() else { return try await issueToAndroid() }
        let index = Int.random(in: device.certificates.indices, using: &numbers)
        let kind: CertifiedDevice.Ending.Kind =
            switch numbers.next() % 3 {
            case 0: .block
            case 1: .revocation(index, .superseded)
            default: .revocation(index, .keyCompromise)
            }
        expected.end(device, by: kind, isCertain: false)
        let others = try await client.end(device, by: kind)
        expected.end(device, by: kind, isCertain: true)
        var ended = device
        ended.ending = .init(kind: kind, isCertain: true)
        if case .revocation(_, let reason) = kind {
            let descendants = reason.revokesRenewals ? device.certificates.count - 1 - index : 0
            load.findings.expect(others == descendants, "\(others) renewals were revoked, not \(descendants)")
        }
        for (index, certificate) in device.certificates.enumerated() where ended.revocation(at: index) != nil {
            let verdict = try await client.submit(try certificate.request.bundle(certificate.der), app: device.app)
            load.findings.expect(
                verdict.decision == .rejected && (isOutOfTime || ["revoked", "device_blocked"].contains(verdict.reason)),
                "a bundle of a revoked certificate gives \(verdict.decision) \(verdict.reason)")
            load.countRefused()
        }
    }

    /// Another certificate for a key that has one.
    private mutating func certifyAgain() async throws {
        guard let device = devices.randomElement(using: &numbers), var request = device.certificates.first?.request,
            case .issue(let first) = request.call, case .csr(let csr) = first.key, first.evidence.count == 1
        else { return try await submit() }
        var phone = VirtualPhone(authority: home.authority, appID: Home.appID)
        let key = phone.makeKey()
        let challenge = try await challenge(.provision, home.photos)
        guard let data = ClientData.provisioning(challenge: challenge, csr: csr) else { throw Self.strangeChallenge }
        let body = try key.attest(clientDataHash: data.hash, at: SystemClock().now())
        request.call = .issue(
            IssuanceRequest(
                app: home.photos, challenge: challenge,
                evidence: [Evidence(format: .appAttestAttestation, keyID: key.keyID, body: body)], key: .csr(csr)))
        try await refuse(request, as: "key_already_certified")
    }

    /// Another camera under a serial number that was provisioned.
    private mutating func provisionAgain() async throws {
        guard let device = devices.filter({ $0.app == home.fleet }).randomElement(using: &numbers) else {
            return try await provision()
        }
        try await refuse(try fleetRequest(device.serial), as: "already_provisioned")
    }

    private func refuse(_ request: CertificateRequest, as code: String) async throws {
        let answer = try await client.send(request)
        load.countRefused()
        if case .rejected(let reason, _) = answer, reason == code || isOutOfTime { return }
        load.findings.expect(false, "a request that must be refused as \(code) gives \(answer)")
    }

    // MARK: Parts

    static let strangeChallenge = Trouble("no challenge of 54 bytes")

    /// Out of the list while its request is in flight: a device with an open request sends nothing more.
    mutating func takeDevice() -> CertifiedDevice? {
        guard !devices.isEmpty else { return nil }
        return devices.remove(at: Int.random(in: devices.indices, using: &numbers))
    }

    func challenge(_ purpose: Purpose, _ app: AppID) async throws -> [UInt8] {
        try await client.issueChallenge(app: app, purpose: purpose, timeout: LoadClient.patience).bytes
    }

    func expectNoOutage(since outage: Int) {
        load.findings.expect(
            outage % 2 == 0 || load.outage.number != outage, "a request was accepted while nothing could be written")
    }
}

extension IssuedCertificate {
    /// Whether an answer is the first one again. A lost answer is known by its certificate only.
    func isRepeated(by other: CertificateAnswer) -> Bool {
        guard case .certified(let der, _, let digest, let isRepeated) = other else { return false }
        return isRepeated && der == self.der && (answer == nil || digest == answer)
    }
}
