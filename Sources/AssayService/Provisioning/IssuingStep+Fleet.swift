import AssayCore

/// The renewal of a fleet's device: the new certificate says what the first one said.
extension IssuingStep {
    /// The order for a renewed certificate. Serial number and family are those of the device's registration, the secret is that of the
    /// current certificate, and the assurance is at most that of the fleet. The app's rule for certificates on evidence does not apply.
    func fleetOrder(
        for device: Device, _ requested: AssayCore.RequestedKey, _ protection: KeyProtection, _ decided: DecidedRequest
    ) async throws(StageError) -> CertificateOrder {
        guard let fleet else { throw .failed(.fleetNotConfigured) }
        try Self.checking("csr") { () throws(Rejection) in try FleetCertificate.checkKey(requested) }
        let claims = device.registration.claims
        guard let serial = claims.text(FleetDevice.serialClaim) else {
            throw .failed(.inconsistent("a device of a fleet has no serial number"))
        }
        let record = try await readingLedger { () async throws(LedgerError) in
            try await ledger.fleetDevice(serial: Array(serial.utf8), app: device.app)
        }
        guard let record, record.device == device.id else {
            throw .refused(
                Rejection(.unknownDevice, "the serial number is not on record for this device"), check: DeviceAdmission.check,
                device: device)
        }
        let content = FleetCertificate(
            fleet: fleet, app: device.app, device: device.id, serial: serial,
            family: claims.text(FleetDevice.familyClaim) ?? "", secret: try await secret(of: record, fleet, decided),
            tables: record.tables)
        return try content.order(
            for: requested.publicKey, basis(of: device, min(decided.assurance, fleet.rule.assurance), protection, decided),
            requestID: decided.prepared.admitted.requestID)
    }

    /// The device's secret: from the certificate that is renewed, or else from the one of its provisioning, because a version of Assay
    /// before this one renewed certificates without their secret.
    private func secret(
        of record: FleetDevice, _ fleet: Fleet, _ decided: DecidedRequest
    ) async throws(StageError) -> [UInt8] {
        func secret(in certificate: DeviceCertificate?) -> [UInt8]? {
            guard let certificate, !certificate.der.isEmpty,
                let secret = authority.deviceSecret(in: certificate.der, arc: fleet.rule.arc, fleet.secrets),
                fleet.secrets.keyID(ofSecret: secret, app: record.app) == record.secretHash
            else { return nil }
            return secret
        }
        if let secret = secret(in: decided.certificate) { return secret }
        let first = try await readingLedger { () async throws(LedgerError) in try await ledger.certificate(record.certificate) }
        guard let secret = secret(in: first) else {
            throw .refused(
                Rejection(
                    .secretUndecryptable,
                    "neither the certificate nor the device's first one has a secret that the fleet can decrypt"
                ), check: "secret")
        }
        return secret
    }
}

extension DecidedRequest {
    /// The certificate that the evidence rests on.
    fileprivate var certificate: DeviceCertificate? {
        guard let name = changes.restsOn else { return nil }
        return prepared.pieces.lazy.compactMap(\.facts.certificate).first { $0.name == name }
    }
}
