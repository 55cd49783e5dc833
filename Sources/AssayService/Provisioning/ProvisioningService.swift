import AssayAPI
package import AssayCore
import AssayRPC
import Foundation
import SwiftProtobuf

/// `assay.v1.Provisioning`: device certificates. `FleetService` has the methods for fleets.
package struct ProvisioningService: Sendable {
    let ledger: any CertificateRegistry & EnrolmentRegistry
    private let authority: any CertificateAuthority
    private let lists: RevocationListIssuer
    private let answering: Answering
    let clock: any WallClock
    let requestLog: RequestLog
    private let revoked: @Sendable () -> Void

    /// - Parameter revoked: called after a certificate was revoked. Never waits.
    package init(
        ledger: any CertificateRegistry & EnrolmentRegistry, authority: any CertificateAuthority,
        lists: RevocationListIssuer, answering: Answering, clock: any WallClock, requestLog: RequestLog,
        revoked: @escaping @Sendable () -> Void
    ) {
        (self.ledger, self.authority, self.lists, self.answering) = (ledger, authority, lists, answering)
        (self.clock, self.requestLog, self.revoked) = (clock, requestLog, revoked)
    }

    package var methods: [MethodBody] {
        [
            .batch(API.issueCertificate) { batch in
                await issue(batch, by: API.issueCertificate.path) { call throws(RPCError) in
                    try IssuingFields(issuing: call.message)
                }
            },
            .batch(API.renewCertificate) { batch in
                await issue(batch, by: API.renewCertificate.path) { call throws(RPCError) in
                    try IssuingFields(try call.decode(Assay_V1_RenewCertificateRequest.self))
                }
            },
            .unary(API.revokeCertificate, reading: { try RevocationFields($1) }, revoke),
            .unary(API.getCertificate, reading: { try CertificateQuery($1) }) { _, app, query in
                try await certificate(query, of: app.id).message
            },
            .unary(API.listCertificates, reading: { try CertificateListing(app: $0, $1) }) { _, _, listing in
                try await page(listing)
            },
            .unary(API.getAuthorities) { _, _ in authorities() },
            .unary(API.getRevocationList) { _, request in try await revocationList(request) },
        ]
    }

    // MARK: Issuing

    /// Requests that come together are judged and committed together, unless something is waited for that belongs to one of them.
    ///
    /// - Parameter read: reads the fields of a call before its app is authorised.
    private func issue(
        _ batch: CallBatch, by method: String, _ read: (AuthorizedCall) throws(RPCError) -> IssuingFields
    ) async {
        let time = answering.chargingTime()
        let batch = batch.reading { call throws(RPCError) in
            try request(call, by: method, try read(call), at: time)
        }
        let waitsForKey = authority.waits(at: clock.now())
        let (alone, others) = batch.separating { waitsForKey || $0.profile.asksOutside(about: $0.request) }
        guard !alone.isEmpty else { return await judge(batch) }
        await withDiscardingTaskGroup { group in
            for batch in alone { group.addTask { await judge(batch) } }
            if !others.requests.isEmpty { await judge(others) }
        }
    }

    private func request(
        _ call: AuthorizedCall, by method: String, _ fields: IssuingFields, at time: Int64
    ) throws(RPCError) -> AuthorizedRequest {
        let profile = try call.profile(of: fields.request.app)
        guard let rule = profile.issuing else { throw .issuesNoCertificates }
        let step = IssuingStep(
            method: method, key: fields.key, rule: rule, fleet: profile.fleet, authority: authority, ledger: ledger)
        return try answering.admit(
            fields.request, profile, of: call.caller, step: step, trace: call.trace, at: time, isAbandoned: call.isAbandoned)
    }

    /// Answers by serialised messages of the type `IssueCertificateResponse`.
    private func judge(_ batch: RequestBatch<AuthorizedRequest>) async {
        let answers = await answering.answer(batch.requests, traceNames: batch.traceNames)
        batch.answer(answers, names: { _ in [:] }) { request, answer in
            switch answer {
            case .verdict(let verdict): return .success(verdict.serializedWithoutCertificate())
            case .completed(let verdict, let message):
                requestLog.changed(
                    "issued a certificate", by: request.caller, app: request.request.app,
                    ["device": verdict.device.map { "\($0)" } ?? ""])
                return .success(message)
            case .repeated(let message): return .success(message)
            case .failed(let error): return .failure(RPCError(error))
            case .reported:
                return .failure(
                    RPCError(.inconsistent("a certificate was requested, and the rejection was not enforced")))
            case .abandoned: return nil
            }
        }
    }

    // MARK: Revocation

    private func revoke(
        _ caller: Caller, _ app: AppProfile, _ fields: RevocationFields
    ) async throws -> Assay_V1_RevokeCertificateResponse {
        let name = try await certificate(fields.query, of: app.id).name
        let context = ChangeContext(.caller(caller.name), at: clock.now(), reason: fields.comment)
        guard let change = try await ledger.revoke(name, fields.reason, context) else { throw RPCError.unknownCertificate }
        // In portions, so that no transaction is long. What is not revoked yet is named by no answer.
        var (renewals, hasMore) = (change.renewals, change.hasMoreRenewals)
        while hasMore, let next = try await ledger.revoke(name, fields.reason, context) {
            renewals += next.renewals
            hasMore = next.hasMoreRenewals
        }
        if !change.wasRevoked || !renewals.isEmpty {
            revoked()
            requestLog.changed(
                "revoked a certificate", by: caller, app: app.id,
                [
                    "serial": Hex.encode(name.serial), "device": "\(change.certificate.device)", "reason": fields.reason.name,
                    "renewals": "\(renewals.count)",
                ])
        }
        return .with {
            $0.certificate = change.certificate.message
            $0.wasRevoked = change.wasRevoked
            $0.alsoRevokedCount = UInt32(clamping: renewals.count)
            $0.alsoRevoked = renewals.prefix(Self.alsoRevokedLimit).map(\.message)
        }
    }

    /// The most certificates beside the first that an answer to `Revoke` lists, each of about 60 bytes.
    private static let alsoRevokedLimit = 1000

    private func revocationList(_ request: Assay_V1_GetRevocationListRequest) async throws -> Assay_V1_RevocationList {
        let all = authority.authorities(at: clock.now())
        let wanted = Array(request.issuerSpkiSha256)
        guard wanted.isEmpty || wanted.count == 32 else {
            throw RequestError("issuer_spki_sha256", "must have 32 bytes or none")
        }
        guard let facts = all.first(where: { wanted.isEmpty ? $0.state == .signing : $0.issuer == wanted }) else {
            throw wanted.isEmpty ? RPCError(AuthorityError.noSigningAuthority) : RPCError.unknownAuthority
        }
        guard let list = try await lists.current(facts.issuer) else { throw RPCError.noRevocationList }
        guard list.nextUpdate > clock.now() else { throw RPCError.outdatedRevocationList }
        return list.message
    }

    private func authorities() -> Assay_V1_GetAuthoritiesResponse {
        .with {
            $0.authorities = authority.authorities(at: clock.now()).map { facts in
                var message = facts.message
                message.revocationListURL = lists.url(ofListOf: facts.name) ?? ""
                return message
            }
        }
    }

    // MARK: Look-up

    /// The certificate of the app.
    private func certificate(_ query: CertificateQuery, of app: AppID) async throws -> DeviceCertificate {
        let found: DeviceCertificate?
        switch query {
        case .key(let keyID): found = try await ledger.certificate(ofKey: keyID, app: app)
        case .name(let name): found = try await ledger.certificate(name)
        case .serial(let serial):
            let all = try await ledger.certificates(serial: serial, app: app)
            guard all.count < 2 else { throw RPCError.severalCertificates(all.count) }
            found = all.first
        }
        guard let found, found.app == app else { throw RPCError.unknownCertificate }
        return found
    }

    private func page(_ listing: CertificateListing) async throws -> Assay_V1_ListCertificatesResponse {
        let page = try await ledger.certificates(listing)
        return .with {
            $0.certificates = page.certificates.map(\.message)
            $0.nextPageToken = Data(page.next.map { PageToken(position: $0, of: listing).bytes } ?? [])
        }
    }
}

/// How a request names a certificate.
enum CertificateQuery: Hashable, Sendable {
    case name(CertificateName)
    case serial([UInt8])
    /// SHA-256 of the certified key's SubjectPublicKeyInfo, 32 bytes.
    case key([UInt8])

    init(_ message: Assay_V1_GetCertificateRequest) throws(RequestError) {
        switch message.by {
        case .serial(let serial): self = try CertificateQuery(serial, issuer: message.issuerSpkiSha256)
        case .keyID(let keyID):
            guard message.issuerSpkiSha256.isEmpty else {
                throw RequestError("issuer_spki_sha256", "must be left out beside a key id")
            }
            guard keyID.count == 32 else { throw RequestError("key_id", "must have 32 bytes") }
            self = .key(Array(keyID))
        case nil:
            try message.refuseUnknown("by")
            throw RequestError("by", "must name a serial number or a key id")
        }
    }

    /// - Parameter issuer: empty: of any CA.
    init(_ serial: Data, issuer: Data) throws(RequestError) {
        self =
            issuer.isEmpty
            ? .serial(try serial.certificateSerial()) : .name(try CertificateName(issuer: issuer, serial: serial))
    }
}

private struct IssuingFields {
    let request: VerificationRequest
    let key: IssuingStep.RequestedKey

    /// - Parameter message: an `IssueCertificateRequest`, serialised.
    init(issuing message: [UInt8]) throws(RPCError) {
        let read: IssuanceFields?
        do throws(RequestError) { read = try IssuanceFields(serialized: message) } catch { throw RPCError(error) }
        guard let read else { throw .undecodableMessage }
        request = read.request
        switch read.key {
        case .csr(let bytes): key = .csr(bytes)
        case .publicKey(let bytes): key = .bare(bytes)
        }
    }

    init(_ message: Assay_V1_RenewCertificateRequest) throws(RPCError) {
        do throws(RequestError) {
            // The app comes first, as with every method.
            _ = try AppID(field: message.app)
            (request, key) = (try VerificationRequest(message), .csr(try message.csr.csr()))
        } catch {
            throw RPCError(error)
        }
    }
}

private struct RevocationFields {
    let query: CertificateQuery
    let reason: RevocationReason
    let comment: String

    init(_ message: Assay_V1_RevokeCertificateRequest) throws(RequestError) {
        query = try CertificateQuery(message.serial, issuer: message.issuerSpkiSha256)
        reason = try RevocationReason(field: message.reason)
        comment = message.comment
        try comment.check("comment", limit: DevicesService.reasonLimit)
    }
}

extension CertificateListing {
    /// Certificates on one page: by default, and at most. A certificate takes up to 2500 bytes in a listing, so that the longest page
    /// stays below a frame of 1 MiB.
    private static let pageSize = PageSize(usual: 100, longest: 200)

    fileprivate init(app: AppID, _ message: Assay_V1_ListCertificatesRequest) throws(RequestError) {
        let isRevoked: Bool? =
            switch message.state {
            case .unspecified: nil
            case .good: false
            case .revoked: true
            case .UNRECOGNIZED: throw RequestError("state", "must be GOOD, REVOKED or left out")
            }
        let limit = try Self.pageSize.limit(message.pageSize)
        let device = message.deviceID.isEmpty ? nil : try DeviceID(field: "device_id", message.deviceID)
        let serial = try FleetRequest.wanted(message.deviceSerial)
        self = try CertificateListing(app: app, device: device, deviceSerial: serial, isRevoked: isRevoked, limit: limit)
            .continued(by: message.pageToken)
    }
}

extension RPCError {
    static let issuesNoCertificates = RPCError(
        .failedPrecondition, "no certificates are issued: the configuration has no \"provisioning\" for this app",
        reason: "provisioning_not_configured")
    static let unknownCertificate = RPCError(
        .notFound, "no certificate of this app has that serial number or key", reason: "unknown_certificate")
    static func severalCertificates(_ count: Int) -> RPCError {
        RPCError(
            .failedPrecondition,
            "\(count) CAs issued a certificate of this app with that serial number: name the CA (issuer_spki_sha256; assay: --issuer)",
            reason: "several_certificates")
    }
    static let unknownAuthority = RPCError(.notFound, "no CA of the configuration has that key", reason: "unknown_authority")
    static let noRevocationList = RPCError(
        .notFound, "the CA has no revocation list, because it has not signed yet", reason: "no_revocation_list")
    static let outdatedRevocationList = RPCError(
        .unavailable, "the revocation list is past its next update and cannot be signed again", reason: "issuing_unavailable",
        retryAfterMilliseconds: 5000)
}
