import AssayAPI
import AssayClient
import AssayCore
import AssaySimulator
import AssayTesting

/// The requests for certificates that must be accepted.
extension CertificateClient {
    /// A phone vouches for a key.
    mutating func issueToPhone() async throws {
        var phone = VirtualPhone(authority: home.authority, appID: Home.appID)
        let key = phone.makeKey()
        let signer = VirtualCamera(serial: "phone")
        let request = try await issuance(of: signer) { data in
            let body = try key.attest(clientDataHash: data.hash, at: SystemClock().now())
            return Evidence(format: .appAttestAttestation, keyID: key.keyID, body: body)
        }
        if let device = try await receive(request) { devices.append(device) }
    }

    /// An Android device attests the key.
    mutating func issueToAndroid() async throws {
        var android = VirtualAndroid(
            authority: home.android, application: AttestedApplicationDraft(Home.package, signer: Home.packageSigner))
        let key = try android.makeKey()
        let signer = try VirtualCamera(serial: "android", scalar: key.key.privateBytes)
        let request = try await issuance(of: signer) { data in
            let chain = try key.attest(challenge: data.bytes, at: SystemClock().now())
            return Evidence(format: .keyAttestation, keyID: [], body: Evidence.join(chain))
        }
        if let device = try await receive(request) { devices.append(device) }
    }

    /// - Parameter evidence: over client data whose payload is the request for the key.
    private func issuance(
        of signer: VirtualCamera, _ evidence: (ClientData) throws -> Evidence
    ) async throws -> CertificateRequest {
        let challenge = try await challenge(.provision, home.photos)
        let csr = try signer.certificateRequest()
        guard let data = ClientData.provisioning(challenge: challenge, csr: csr) else { throw Self.strangeChallenge }
        let request = IssuanceRequest(
            app: home.photos, challenge: challenge, evidence: [try evidence(data)], key: .csr(csr))
        return CertificateRequest(signer: signer, call: .issue(request))
    }

    /// A camera of the fleet.
    mutating func provision() async throws {
        let serial = "CAM-" + Hex.encode(SecureRandom.bytes(8))
        _ = try await client.addEnrolments(app: home.fleet, serials: [serial], timeout: LoadClient.patience)
        expected.edit { _ = $0.enrolled.insert(serial) }
        if let device = try await receive(try fleetRequest(serial)) { devices.append(device) }
    }

    func fleetRequest(_ serial: String) throws -> CertificateRequest {
        let signer = VirtualCamera(serial: serial)
        let request = FleetDeviceRequest(app: home.fleet, serial: serial, csr: try signer.certificateRequest())
        return CertificateRequest(signer: signer, call: .provision(request))
    }

    mutating func renew() async throws {
        guard let device = takeDevice() else { return try await provision() }
        let request: CertificateRequest
        do { request = try await renewal(of: device) } catch {
            devices.append(device)
            throw error
        }
        if let renewed = try await receive(request) { devices.append(renewed) }
    }

    private func renewal(of device: CertifiedDevice) async throws -> CertificateRequest {
        guard let current = device.certificates.last else { throw Trouble("a device has no certificate") }
        let challenge = try await challenge(.renew, device.app)
        let signer = VirtualCamera(serial: device.serial)
        let csr = try signer.certificateRequest()
        guard let data = ClientData.renewal(challenge: challenge, csr: csr) else { throw Self.strangeChallenge }
        let request = RenewalRequest(
            app: device.app, challenge: challenge, keyID: current.request.keyID,
            signature: try current.request.signer.key.sign(data.bytes, hash: .sha256).der, csr: csr,
            expectedDevice: DeviceID(bytes: device.id))
        return CertificateRequest(signer: signer, call: .renew(request))
    }

    /// Sends a request that must be accepted. Most requests have an idempotency key, as recommended. Returns the device with the new
    /// certificate; `nil` if it must not be used further.
    private mutating func receive(_ request: CertificateRequest) async throws -> CertifiedDevice? {
        var request = request
        if numbers.next() % 4 > 0 { request.idempotencyKey = SecureRandom.bytes(16) }
        let outage = load.outage.number
        let answer: CertificateAnswer
        do { answer = try await client.send(request) } catch {
            expected.edit { $0.open.append(.init(request: request, isOutOfTime: isOutOfTime)) }
            throw error
        }
        switch answer {
        case .rejected(let reason, let detail):
            // Under a clock that steps between challenge and verdict this is allowed.
            load.findings.expect(isOutOfTime, "a good request for a certificate was refused: \(reason) (\(detail))")
            if isOutOfTime { expected.edit { $0.open.append(.init(request: request, isOutOfTime: true)) } }
            load.countRefused()
            return nil
        case .certified(let der, let id, let digest, let isRepeated):
            load.findings.expect(!isRepeated, "a new certificate is marked as repeated")
            expectNoOutage(since: outage)
            let certificate = try IssuedCertificate(request, der: der, answer: digest, isOutOfTime: isOutOfTime)
            let device = expected.received(certificate, on: id)
            load.findings.expect(device != nil, "a serial number was used twice")
            load.countAccepted(by: daemon)
            return device?.isUsable == true ? device : nil
        }
    }
}
