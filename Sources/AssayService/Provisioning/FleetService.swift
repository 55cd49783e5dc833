import AssayAPI
package import AssayCore
import AssayMetrics
import AssayRPC
import Crypto
import Foundation
import SwiftProtobuf

/// The methods of `assay.v1.Provisioning` for fleets: devices that a manufacturer's service makes known, without evidence of a
/// platform.
///
/// A device gets a certificate with its encrypted secret, its three key tables, and a record in the registry. Tables and secret are
/// derived or decrypted again for a repeated answer; the database holds neither. A readmitted device gets new ones of everything, and
/// replaces the one before.
package struct FleetService: Sendable {
    let ledger: any EnrolmentRegistry & CertificateFacts & DeviceFacts
    private let authority: any CertificateAuthority
    let clock: any WallClock
    let requestLog: RequestLog
    private let revoked: @Sendable () -> Void
    private let answering: Answering

    /// - Parameter revoked: called after a provisioning that may have revoked certificates of the device before. Never waits.
    package init(
        ledger: any EnrolmentRegistry & CertificateFacts & DeviceFacts, authority: any CertificateAuthority,
        answering: Answering, clock: any WallClock, requestLog: RequestLog, revoked: @escaping @Sendable () -> Void
    ) {
        (self.ledger, self.authority, self.answering) = (ledger, authority, answering)
        (self.clock, self.requestLog, self.revoked) = (clock, requestLog, revoked)
    }

    package var methods: [MethodBody] {
        [.unary(API.provisionDevice, reading: { try FleetRequest($1) }, serialised: provisionDevice)] + enrolmentMethods
    }

    /// The serialised `ProvisionDeviceResponse`.
    private func provisionDevice(
        _ caller: Caller, _ app: AppProfile, _ request: FleetRequest
    ) async throws -> [UInt8] {
        guard let fleet = app.fleet else { throw RPCError.hasNoFleet }
        try answering.charge(.verdicts, caller, app.id, nil, at: answering.chargingTime())
        let begun = MonotonicTime.nanoseconds()
        do throws(StageError) {
            let (answer, quirks) = try await answer(to: request, caller, app, fleet)
            answering.answered(
                caller, app, by: answer.repeated ? .repeated : .provisioned(fleet.rule.assurance), since: begun)
            if !answer.repeated {
                let notes = quirks.isEmpty ? [:] : ["csr": quirks.map(\.rawValue).joined(separator: ", ")]
                requestLog.changed(
                    "provisioned a device", by: caller, app: app.id,
                    notes.merging(["device": "\(answer.certificate.device)"]) { $1 })
            }
            return answer.serialized()
        } catch {
            switch error {
            case .refused(let rejection, let check, let device):
                answering.answered(caller, app, by: .refused(rejection, check: check, device: device?.id), since: begun)
                let response = Assay_V1_ProvisionDeviceResponse.with {
                    $0.rejection = Assay_V1_ProvisioningRejection(rejection)
                }
                return try response.serialised()
            case .failed(let error):
                answering.answered(caller, app, by: .failed(error), since: begun)
                throw error
            case .abandoned: throw RPCError.cancelled
            }
        }
    }

    /// The answer, and what is to be said of a new device's CSR.
    private func answer(
        to request: FleetRequest, _ caller: Caller, _ app: AppProfile, _ fleet: Fleet
    ) async throws(StageError) -> (ProvisionedDevice, [RequestedKey.Quirk]) {
        let identity = request.identity(caller, app.id, fleet.secrets)
        if let repeated = try await repetition(of: identity, app, fleet) { return (repeated, []) }
        do throws(StageError) {
            return try await provision(request, caller, app, fleet, identity)
        } catch {
            // An equal request may have been provisioned since, here or by another daemon of the ledger. This one was refused by what that one
            // changed, at whatever place, and gets its answer.
            if case .refused = error, let repeated = try await repetition(of: identity, app, fleet) { return (repeated, []) }
            throw error
        }
    }

    private func provision(
        _ request: FleetRequest, _ caller: Caller, _ app: AppProfile, _ fleet: Fleet, _ identity: FleetRequest.Identity
    ) async throws(StageError) -> (ProvisionedDevice, [RequestedKey.Quirk]) {
        try await checkSerial(of: request, app)
        let key = try certifiedKey(request, fleet)
        let made = try await make(request, key, caller, app, fleet, identity)
        let outcome = try await readingLedger { () async throws(LedgerError) in try await ledger.provision(made.entry) }
        switch outcome {
        case .provisioned:
            // A device that is replaced loses its certificates.
            revoked()
            return (made.answer, key.quirks)
        case .refused(let code):
            if code == .notEnrolled, let why = try await unmetPermission(request, app) {
                throw .refused(why, check: DeviceAdmission.check)
            }
            throw .refused(code.rejection, check: DeviceAdmission.check)
        }
    }

    /// Why the unused permission for the serial number does not serve, and what makes another; `nil` if there is none.
    private func unmetPermission(_ request: FleetRequest, _ app: AppProfile) async throws(StageError) -> Rejection? {
        guard request.token == nil else { return nil }
        let found = try await readingLedger { () async throws(LedgerError) in
            try await ledger.enrolment(.serial(request.serial), of: app.id)
        }
        guard let enrolment = found, enrolment.usedBy == nil else { return nil }
        let isReadmission = enrolment.replaces != nil
        if let end = enrolment.expiry, enrolment.hasExpired(at: clock.now()) {
            return Rejection(
                .notEnrolled,
                isReadmission
                    ? "the readmission ended at \(end): readmit the serial number again ('assay enrol readmit')"
                    : "the permission ended at \(end): remove it ('assay enrol remove') and add it again ('assay enrol add')")
        }
        guard enrolment.family != request.family, !enrolment.family.isEmpty else { return nil }
        return Rejection(
            .notEnrolled,
            "the \(isReadmission ? "readmission" : "permission") is for another family: to change that, remove it ('assay enrol remove') "
                + "and \(isReadmission ? "readmit the serial number again ('assay enrol readmit')" : "add it again ('assay enrol add')")"
        )
    }

    /// Throws if a device was provisioned under the serial number before, unless the request may replace it. The ledger checks again: here
    /// no certificate is signed for nothing.
    private func checkSerial(of request: FleetRequest, _ app: AppProfile) async throws(StageError) {
        let (known, enrolment) = try await readingLedger { () async throws(LedgerError) in
            (
                try await ledger.fleetDevice(serial: request.serial, app: app.id),
                try await ledger.enrolment(.serial(request.serial), of: app.id)
            )
        }
        guard let known else { return }
        guard enrolment?.readmits(known) == true else {
            throw .refused(ReasonCode.alreadyProvisioned.rejection, check: "serial")
        }
        guard request.token == nil else {
            let why = Rejection(.alreadyProvisioned, "the serial number is readmitted: it is provisioned without a token")
            throw .refused(why, check: "serial")
        }
    }

    // MARK: A repeated request

    /// The answer to an equal request that was made before; `nil` if there was none.
    private func repetition(
        of identity: FleetRequest.Identity, _ app: AppProfile, _ fleet: Fleet
    ) async throws(StageError) -> ProvisionedDevice? {
        guard let key = identity.key else { return nil }
        let stored = try await readingLedger { () async throws(LedgerError) in try await ledger.fleetDevice(idempotencyKey: key)
        }
        guard let stored, stored.app == app.id else { return nil }
        guard stored.request == identity.request else {
            throw .refused(ReasonCode.idempotencyKeyReused.rejection, check: "idempotency")
        }
        guard stored.supersededAt == nil else {
            let why = Rejection(
                .revoked, "the device was provisioned again since, so the certificate of this answer is revoked")
            throw .refused(why, check: DeviceAdmission.check)
        }
        let (device, certificate) = try await readingLedger { () async throws(LedgerError) in
            (try await ledger.device(stored.device), try await ledger.certificate(stored.certificate))
        }
        guard let device else { throw .refused(ReasonCode.unknownDevice.rejection, check: DeviceAdmission.check) }
        guard !device.isBlocked else { throw .refused(ReasonCode.deviceBlocked.rejection, check: DeviceAdmission.check) }
        guard let certificate, certificate.revocation == nil else {
            throw .refused(ReasonCode.revoked.rejection, check: "certificate")
        }
        guard let secret = authority.deviceSecret(in: certificate.der, arc: fleet.rule.arc, fleet.secrets) else {
            throw .failed(.inconsistent("the secret of a provisioned device cannot be decrypted"))
        }
        let issuer = authority.authorities(at: clock.now()).first { $0.issuer == certificate.name.issuer }
        return ProvisionedDevice(
            certificate: certificate, chain: issuer?.chain ?? [], tables: try tables(stored.tables, of: fleet), secret: secret,
            repeated: true)
    }

    // MARK: A new device

    /// The key to be certified.
    private struct CertifiedKey {
        /// SubjectPublicKeyInfo (DER).
        let spki: [UInt8]
        /// The private key if it is made here.
        let made: P256.Signing.PrivateKey?
        /// Those of the CSR.
        let quirks: [RequestedKey.Quirk]
    }

    private func certifiedKey(
        _ request: FleetRequest, _ fleet: Fleet
    ) throws(StageError) -> CertifiedKey {
        do throws(Rejection) {
            guard let csr = request.csr else {
                guard fleet.rule.makesKeys else { throw Rejection(.possessionNotProven, "a CSR is required") }
                let made = P256.Signing.PrivateKey()
                return CertifiedKey(spki: Array(made.publicKey.derRepresentation), made: made, quirks: [])
            }
            let requested = try authority.requestedKey(csr)
            try FleetCertificate.checkKey(requested)
            return CertifiedKey(spki: requested.publicKey, made: nil, quirks: requested.quirks)
        } catch {
            throw .refused(error, check: "csr")
        }
    }

    private func make(
        _ request: FleetRequest, _ key: CertifiedKey, _ caller: Caller, _ app: AppProfile,
        _ fleet: Fleet, _ identity: FleetRequest.Identity
    ) async throws(StageError) -> (entry: FleetEntry, answer: ProvisionedDevice) {
        let now = clock.now()
        let secret = request.secret ?? SecureRandom.bytes(SealedSecret.secretLength)
        let content = FleetCertificate(
            fleet: fleet, app: app.id, device: .random(), serial: request.serialText, family: request.family, secret: secret,
            tables: FleetCertificate.randomTables())
        let order = try content.order(
            for: key.spki,
            CertificateBasis(
                assurance: fleet.rule.assurance, protection: key.made == nil ? .provisioned : .generated,
                platform: .fleetDevice,
                policyDigest: app.policyDigest, simulated: false))
        let signed: SignedCertificate
        do throws(AuthorityError) { signed = try await authority.issue(order, at: now) } catch {
            throw .failed(.issuing(error))
        }
        let keyID = fleet.secrets.keyID(ofSecret: secret, app: app.id)
        let device = Device(
            id: order.device, app: app.id, subject: nil,
            registration: Registration(
                format: .fleetDevice, keyID: keyID, publicKey: key.spki, environment: "fleet", anchor: [],
                claims: request.claims, chainSerials: [signed.certificate.name.serial], receipt: [], simulated: false),
            registeredAt: now)
        let record = FleetDevice(
            app: app.id, serial: request.serial, device: device.id, secretHash: keyID, tables: content.tables,
            certificate: signed.certificate.name, idempotency: identity.key ?? [], request: identity.request,
            provisionedAt: now)
        let entry = FleetEntry(
            device: device, certificate: signed.certificate, record: record, family: request.family,
            token: request.token.map { SHA256.bytes(of: $0) }, context: ChangeContext(.caller(caller.name), at: now))
        let answer = ProvisionedDevice(
            certificate: signed.certificate, chain: signed.chain, tables: try tables(content.tables, of: fleet), secret: secret,
            privateKey: key.made.map { Array($0.derRepresentation) } ?? [])
        return (entry, answer)
    }

    private func tables(_ numbers: [UInt16], of fleet: Fleet) throws(StageError) -> [KeyTable] {
        let tables = numbers.compactMap { fleet.secrets.tables.table($0) }
        guard tables.count == numbers.count else { throw .failed(.inconsistent("a key table has no master")) }
        return tables
    }
}

extension Assay_V1_ProvisioningRejection {
    fileprivate init(_ rejection: Rejection) {
        self.init()
        reason = rejection.code.rawValue
        detail = rejection.detail
        retry = rejection.retry.message
    }
}

extension RPCError {
    static let hasNoFleet = RPCError(
        .failedPrecondition, "the configuration has no fleet for this app: its devices are neither provisioned nor renewed",
        reason: "fleet_not_configured")
}
