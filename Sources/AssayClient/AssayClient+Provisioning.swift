public import AssayAPI
public import AssayCore
import Foundation
import SwiftProtobuf

/// Device certificates, for callers with the role `provision`; the methods for fleets need the roles `fleet` and `enrol`.
extension AssayClient {
    /// Asks for a verdict over evidence and, if it is ACCEPTED, a certificate. A rejection is an answer too, without a certificate.
    ///
    /// A request without an idempotency key gets one for this call, unless the options say otherwise, so that no try issues a second
    /// certificate. The verdict is then not marked `repeated`, for any of the tries.
    public func issue(
        _ request: IssuanceRequest, timeout: Duration? = nil
    ) async throws(AssayError) -> Assay_V1_IssueCertificateResponse {
        var message = request.message
        let isOwn = addKey(&message.idempotencyKey)
        return try await certificate(API.issueCertificate, message, !message.idempotencyKey.isEmpty, isOwn, timeout)
    }

    /// Asks for a certificate of a new key, on a signature by the key of the current one, which stays valid. Idempotency keys are those of
    /// ``issue(_:timeout:)``.
    public func renew(
        _ request: RenewalRequest, timeout: Duration? = nil
    ) async throws(AssayError) -> Assay_V1_IssueCertificateResponse {
        var message = request.message
        let isOwn = addKey(&message.idempotencyKey)
        return try await certificate(API.renewCertificate, message, !message.idempotencyKey.isEmpty, isOwn, timeout)
    }

    /// Revokes a certificate for good, and for `keyCompromise` those that were renewed from it too (`alsoRevoked`).
    ///
    /// - Parameters:
    ///   - serial: 1 to 20 bytes.
    ///   - issuer: SHA-256 of the issuing CA's SubjectPublicKeyInfo, 32 bytes; empty: any CA. Throws
    ///     `failedPrecondition` if two CAs did.
    ///   - comment: for the audit log, at most 256 bytes. It cannot be deleted there.
    public func revoke(
        serial: [UInt8], issuer: [UInt8] = [], app: AppID, reason: RevocationReason = .unspecified, comment: String = "",
        timeout: Duration? = nil
    ) async throws(AssayError) -> Assay_V1_RevokeCertificateResponse {
        try await call(
            API.revokeCertificate,
            .with {
                $0.app = app.text
                $0.issuerSpkiSha256 = Data(issuer)
                $0.serial = Data(serial)
                $0.reason = reason.message
                $0.comment = comment
            }, timeout)
    }

    /// The record of a certificate.
    ///
    /// - Parameters:
    ///   - serial: 1 to 20 bytes.
    ///   - issuer: as in ``revoke(serial:issuer:app:reason:comment:timeout:)``.
    public func certificate(
        serial: [UInt8], issuer: [UInt8] = [], app: AppID, timeout: Duration? = nil
    ) async throws(AssayError) -> Assay_V1_DeviceCertificate {
        try await call(
            API.getCertificate,
            .with { ($0.app, $0.serial, $0.issuerSpkiSha256) = (app.text, Data(serial), Data(issuer)) }, timeout)
    }

    /// The record of a key's certificate.
    ///
    /// - Parameter keyID: SHA-256 of the certified key's SubjectPublicKeyInfo, 32 bytes.
    public func certificate(
        keyID: [UInt8], app: AppID, timeout: Duration? = nil
    ) async throws(AssayError) -> Assay_V1_DeviceCertificate {
        try await call(API.getCertificate, .with { ($0.app, $0.keyID) = (app.text, Data(keyID)) }, timeout)
    }

    /// One page of an app's certificates, in the order in which they were issued. Continue with the token until it is empty; a page
    /// before the last may have few certificates, or none.
    ///
    /// - Parameter deviceSerial: only those of devices that were provisioned under this serial number of a fleet, replaced ones included;
    ///   empty: all.
    public func certificates(
        app: AppID, device: DeviceID? = nil, deviceSerial: String = "",
        state: Assay_V1_DeviceCertificate.State = .unspecified, pageSize: UInt32 = 0, pageToken: [UInt8] = [],
        timeout: Duration? = nil
    ) async throws(AssayError) -> Assay_V1_ListCertificatesResponse {
        try await call(
            API.listCertificates,
            .with {
                $0.app = app.text
                $0.deviceID = Data(device?.bytes ?? [])
                $0.deviceSerial = deviceSerial
                $0.state = state
                $0.pageSize = pageSize
                $0.pageToken = Data(pageToken)
            }, timeout)
    }

    /// The CAs that issue certificates, those included that are published and do not sign yet.
    public func authorities(timeout: Duration? = nil) async throws(AssayError) -> [Assay_V1_Authority] {
        try await call(API.getAuthorities, Assay_V1_GetAuthoritiesRequest(), timeout).authorities
    }

    /// The current revocation list of a CA.
    ///
    /// - Parameter issuer: SHA-256 of the CA's SubjectPublicKeyInfo, 32 bytes; empty: the CA that signs new certificates.
    public func revocationList(
        issuer: [UInt8] = [], timeout: Duration? = nil
    ) async throws(AssayError) -> Assay_V1_RevocationList {
        try await call(API.getRevocationList, .with { $0.issuerSpkiSha256 = Data(issuer) }, timeout)
    }

    /// Makes the calls of one request for a certificate, and clears the mark `repeated` under a key that the caller does not know.
    private func certificate<Method: APIMethod>(
        _ method: Method, _ message: Method.Request, _ hasKey: Bool, _ isOwn: Bool, _ timeout: Duration?
    ) async throws(AssayError) -> Assay_V1_IssueCertificateResponse
    where Method.Response == Assay_V1_IssueCertificateResponse {
        var response = try await call(method, message, timeout, hasKey: hasKey)
        if !isOwn, response.hasVerdict { response.verdict.repeated = false }
        return response
    }
}

/// Fleets: devices that a provisioning service makes known, without evidence of a platform.
extension AssayClient {
    /// Provisions a device of a fleet. A rejection is an answer too, and has no other field.
    ///
    /// A request without an idempotency key gets one for this call, as in ``issue(_:timeout:)``. Without a CSR the mark `repeated` stays
    /// under such a key: the answer to an earlier try is lost then, and the private key with it.
    public func provisionDevice(
        _ request: FleetDeviceRequest, timeout: Duration? = nil
    ) async throws(AssayError) -> Assay_V1_ProvisionDeviceResponse {
        var message = request.message
        let isOwn = addKey(&message.idempotencyKey)
        var response = try await call(
            API.provisionDevice, message, timeout, hasKey: !message.idempotencyKey.isEmpty)
        if !isOwn, !message.csr.isEmpty { response.repeated = false }
        return response
    }

    /// Adds serial numbers to the allow-list, or makes one-time tokens, which are in the answer and nowhere else.
    ///
    /// - Parameters:
    ///   - serials: at most 1000.
    ///   - tokens: how many to make, at most 1000.
    ///   - family: only devices of this family; empty: of any.
    ///   - expiry: when the permissions end; `nil`: never, which tokens may not.
    ///   - comment: for the audit log, at most 256 bytes.
    public func addEnrolments(
        app: AppID, serials: [String] = [], tokens: UInt32 = 0, family: String = "", expiry: Timestamp? = nil,
        comment: String = "", isDryRun: Bool = false, timeout: Duration? = nil
    ) async throws(AssayError) -> Assay_V1_AddEnrolmentsResponse {
        try await call(
            API.addEnrolments,
            .with {
                $0.app = app.text
                $0.serials = serials
                $0.tokens = tokens
                $0.deviceFamily = family
                $0.expiresAtUnixMs = expiry?.unixMilliseconds ?? 0
                $0.comment = comment
                $0.dryRun = isDryRun
            }, timeout)
    }

    /// Lets one more device be provisioned under the serial number of a provisioned one, which it then replaces. Throws NOT_FOUND if none
    /// was provisioned, and FAILED_PRECONDITION with the reason `device_blocked` while that device is blocked.
    ///
    /// - Parameters:
    ///   - serial: as it was provisioned.
    ///   - family: only a device of this family; empty: of any.
    ///   - expiry: when the readmission ends; `nil`: never.
    ///   - reason: for the audit log, 1 to 256 bytes. It cannot be deleted there.
    public func readmitDevice(
        serial: String, app: AppID, family: String = "", expiry: Timestamp? = nil, reason: String, timeout: Duration? = nil
    ) async throws(AssayError) -> Assay_V1_ReadmitDeviceResponse {
        try await call(
            API.readmitDevice,
            .with {
                $0.app = app.text
                $0.deviceSerial = serial
                $0.deviceFamily = family
                $0.expiresAtUnixMs = expiry?.unixMilliseconds ?? 0
                $0.reason = reason
            }, timeout)
    }

    /// Removes an unused permission. Throws NOT_FOUND if there is none. A readmission that is removed is taken back.
    public func removeEnrolment(
        _ permit: EnrolmentPermit, app: AppID, comment: String = "", timeout: Duration? = nil
    ) async throws(AssayError) {
        _ = try await call(
            API.removeEnrolment,
            .with {
                $0.app = app.text
                $0.comment = comment
                switch permit {
                case .serial(let serial): $0.serial = serial
                case .token(let token): $0.token = token
                case .tokenDigest(let digest): $0.tokenSha256 = Data(digest)
                }
            }, timeout)
    }

    /// One page of an app's permissions. Continue with the token until it is empty; a page before the last may have few permissions,
    /// or none.
    ///
    /// - Parameter serial: only the permission for this serial number; empty: all.
    public func enrolments(
        app: AppID, state: Assay_V1_Enrolment.State = .unspecified, serial: String = "", pageSize: UInt32 = 0,
        pageToken: [UInt8] = [], timeout: Duration? = nil
    ) async throws(AssayError) -> Assay_V1_ListEnrolmentsResponse {
        try await call(
            API.listEnrolments,
            .with {
                $0.app = app.text
                $0.state = state
                $0.deviceSerial = serial
                $0.pageSize = pageSize
                $0.pageToken = Data(pageToken)
            }, timeout)
    }
}

/// What names a permission to provision a device.
public enum EnrolmentPermit: Hashable, Sendable {
    case serial(String)
    /// A token, as it was shown once.
    case token(String)
    /// SHA-256 of a token, 32 bytes, as listings show it.
    case tokenDigest([UInt8])
}
