import AssayAPI
import AssayClient
import AssayCore
import AssaySimulator
import AssayTesting

/// Sends requests again: those without an answer, and those whose answer is known.
extension CertificateComparison {
    // MARK: Requests without an answer

    func settle() async throws {
        let (open, bundles) = expected.edit { state in
            defer { (state.open, state.openBundles) = ([], []) }
            return (state.open, state.openBundles)
        }
        try await concurrently(open) { try await settle($0) }
        try await concurrently(bundles) { bundle in
            let verdict = try await client.submit(bundle.json, app: bundle.app)
            findings.expect(
                verdict.decision == .accepted, "a good bundle was refused: \(verdict.reason) (\(verdict.detail))")
            // The first submission or this one counted, and not both.
            if verdict.decision == .accepted { expected.accepted(bundle) }
        }
        let uncertain = expected.now.devices.values.filter { $0.ending?.isCertain == false }
        try await concurrently(uncertain) { device in
            guard let kind = device.ending?.kind else { return }
            try await client.end(device, by: kind)
            expected.end(device, by: kind, isCertain: true)
        }
    }

    private func settle(_ open: ExpectedCertificates.Open) async throws {
        switch try await client.send(open.request) {
        case .certified(let der, let device, let digest, _):
            try receive(open, der, device, answer: digest)
        case .rejected(let reason, let detail):
            do {
                let record = try await client.certificate(
                    keyID: open.request.keyID, app: open.request.app, timeout: LoadClient.patience)
                findings.expect(
                    open.isOutOfTime || open.request.idempotencyKey.isEmpty,
                    "a request that was applied is not repeated under its idempotency key: \(reason) (\(detail))")
                try receive(open, Array(record.certificate), Array(record.deviceID), answer: nil)
            } catch let error as AssayError where error.code == .notFound {
                findings.expect(
                    open.isOutOfTime,
                    "a request for a certificate without an answer is neither applied nor accepted: \(reason) (\(detail))")
            }
        }
    }

    private func receive(
        _ open: ExpectedCertificates.Open, _ der: [UInt8], _ device: [UInt8], answer: [UInt8]?
    ) throws {
        let certificate = try IssuedCertificate(open.request, der: der, answer: answer, isOutOfTime: open.isOutOfTime)
        findings.expect(expected.received(certificate, on: device) != nil, "a serial number was used twice")
    }

    // MARK: Requests again

    /// The same request under its idempotency key, and another one for the same serial number of the fleet.
    func compareAnswer(_ certificate: IssuedCertificate, _ state: ExpectedCertificates.State) async throws {
        guard let (device, index) = state.place(of: certificate) else { return }
        let answer = try await client.send(certificate.request)
        if case .certified(let der, _, _, let isRepeated) = answer {
            findings.expect(isRepeated && der == certificate.der, "a request for a certificate gets a second one")
        }
        if !certificate.request.idempotencyKey.isEmpty, !certificate.mayHaveExpired, device.isUsable {
            findings.expect(
                certificate.isRepeated(by: answer), "a repeated request gets another certificate, or none: \(answer)")
        }
        guard index == 0, device.app == home.fleet else { return }
        let other = VirtualCamera(serial: device.serial)
        let request = FleetDeviceRequest(app: home.fleet, serial: device.serial, csr: try other.certificateRequest())
        let second = try await client.send(CertificateRequest(signer: other, call: .provision(request)))
        if case .rejected("already_provisioned", _) = second { return }
        findings.expect(false, "a serial number that was provisioned gives \(second)")
    }

    /// The same statement is known: accepted again as a repetition, until its certificate is revoked.
    func compareBundle(_ bundle: ExpectedCertificates.Bundle, _ state: ExpectedCertificates.State) async throws {
        guard let device = state.devices[bundle.device] else { return }
        let verdict = try await client.submit(bundle.json, app: bundle.app)
        let mayPass = device.revocation(at: bundle.certificate) == nil && device.ending?.kind != .block
        findings.expect(
            mayPass ? verdict.decision == .accepted && verdict.repeated : verdict.decision == .rejected,
            "a bundle that was accepted before gives \(verdict.decision) \(verdict.reason), and is "
                + "\(verdict.repeated ? "" : "not ")marked as repeated")
        guard mayPass, let submissions = device.submissions else { return }
        let note = verdict.findings.first { $0.code == "many_submissions" }?.detail ?? "no submission"
        findings.expect(
            note.contains(" \(submissions) submissions"),
            "\(submissions) submissions of a device were accepted, and the note is: \(note)")
    }

    /// New bundles of revoked certificates.
    func compareRevoked(_ device: CertifiedDevice) async throws {
        for (index, certificate) in device.certificates.enumerated() where device.revocation(at: index) != nil {
            let verdict = try await client.submit(try certificate.request.bundle(certificate.der), app: device.app)
            findings.expect(
                verdict.decision == .rejected
                    && (certificate.isOutOfTime || ["revoked", "device_blocked"].contains(verdict.reason)),
                "a revocation is lost: a bundle gives \(verdict.decision) \(verdict.reason)")
        }
    }

    /// Repeats some requests while the daemon has a fault: any rejection, or the stored answer, is correct.
    func tryAgain(seed: UInt64) async throws {
        var numbers = SeededNumbers(seed: seed)
        let state = expected.now
        let issued = (0..<Comparison.hasty / 2).compactMap { _ in state.issued.randomElement(using: &numbers) }
        try await concurrently(issued) { certificate in
            guard case .certified(let der, _, _, let isRepeated) = try await client.send(certificate.request) else { return }
            findings.expect(isRepeated && der == certificate.der, "a request for a certificate gets a second one")
        }
        let bundles = (0..<Comparison.hasty / 2).compactMap { _ in state.bundles.randomElement(using: &numbers) }
        try await concurrently(bundles) { bundle in
            let verdict = try await client.submit(bundle.json, app: bundle.app)
            findings.expect(verdict.decision == .rejected || verdict.repeated, "a bundle was accepted twice as a new one")
        }
    }
}

extension ExpectedCertificates.State {
    fileprivate func place(of certificate: IssuedCertificate) -> (CertifiedDevice, Int)? {
        for device in devices.values {
            if let index = device.certificates.firstIndex(where: { $0.serial == certificate.serial }) { return (device, index) }
        }
        return nil
    }
}
