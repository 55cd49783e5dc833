import AssayAPI
import AssayCore
import AssayRPC
import Crypto
import Foundation
import SwiftProtobuf

/// Who may be provisioned: the allow-list of serial numbers, one-time tokens, and readmissions.
extension FleetService {
    /// Permissions on one page: by default, and at most. The longest serial number has 1020 bytes.
    private static let pageSize = PageSize(usual: 100, longest: 500)

    var enrolmentMethods: [MethodBody] {
        [
            .unary(API.addEnrolments, reading: { try AdditionFields($1) }, addEnrolments),
            .unary(API.readmitDevice, reading: { try ReadmissionFields($1) }, readmitDevice),
            .unary(API.removeEnrolment, reading: { try RemovalFields($1) }, removeEnrolment),
            .unary(API.listEnrolments, reading: { try Self.query($0, $1) }) { _, _, query in
                switch query {
                case .page(let listing): try await page(listing)
                case .serial(let serial, let app, let isUsed): try await permission(for: serial, of: app, isUsed: isUsed)
                }
            },
        ]
    }

    private func addEnrolments(
        _ caller: Caller, _ app: AppProfile, _ fields: AdditionFields
    ) async throws -> Assay_V1_AddEnrolmentsResponse {
        guard app.fleet != nil else { throw RPCError.hasNoFleet }
        let now = clock.now()
        try fields.checkEnd(at: now)
        guard !fields.isDryRun else { return try await preview(of: fields, app.id) }
        let tokens = (0..<fields.tokens).map { _ in EnrolmentToken() }
        let permits = fields.serials.map { Enrolment.Permit.serial(Array($0.utf8)) } + tokens.map { .token($0.digest) }
        let enrolments = permits.map {
            Enrolment(app: app.id, permit: $0, family: fields.family, createdAt: now, expiry: fields.expiry)
        }
        let added = try await ledger.add(
            enrolments, ChangeContext(.caller(caller.name), at: now, reason: fields.comment))
        let serials = zip(fields.serials, added)
        requestLog.changed(
            "added enrolments", by: caller, app: app.id,
            ["serials": "\(serials.count { $0.1 })", "tokens": "\(tokens.count)"])
        return .with {
            $0.added = UInt32(clamping: serials.count { $0.1 })
            $0.present = serials.filter { !$0.1 }.map(\.0)
            $0.tokens = tokens.map(\.text)
        }
    }

    /// What an addition would answer, without tokens. Nothing is changed or recorded.
    private func preview(of fields: AdditionFields, _ app: AppID) async throws -> Assay_V1_AddEnrolmentsResponse {
        var (known, present): (Set<OpaqueText>, [String]) = ([], [])
        for serial in fields.serials {
            let isNew = known.insert(OpaqueText(serial)).inserted
            let isOnList = try await ledger.enrolment(.serial(Array(serial.utf8)), of: app) != nil
            if !isNew || isOnList { present.append(serial) }
        }
        return .with {
            $0.added = UInt32(clamping: fields.serials.count - present.count)
            $0.present = present
        }
    }

    private func readmitDevice(
        _ caller: Caller, _ app: AppProfile, _ fields: ReadmissionFields
    ) async throws -> Assay_V1_ReadmitDeviceResponse {
        guard app.fleet != nil else { throw RPCError.hasNoFleet }
        let now = clock.now()
        if let expiry = fields.expiry, expiry <= now { throw RequestError("expires_at_unix_ms", "must be in the future") }
        let readmission = Readmission(app: app.id, serial: fields.serial, family: fields.family, expiry: fields.expiry)
        let context = ChangeContext(.caller(caller.name), at: now, reason: fields.reason)
        switch try await ledger.readmit(readmission, context) {
        case .readmitted(let enrolment):
            requestLog.changed(
                "readmitted a device", by: caller, app: app.id, ["device": enrolment.replaces.map { "\($0)" } ?? ""])
            return .with { $0.enrolment = enrolment.message }
        case .pending(let enrolment):
            return .with { ($0.enrolment, $0.wasReadmitted) = (enrolment.message, true) }
        case .notProvisioned:
            throw RPCError(
                .notFound, "no device of this app was provisioned under that serial number: put it on the allow-list",
                reason: "not_provisioned")
        case .blocked:
            throw RPCError(
                .failedPrecondition,
                "the device is blocked, or a key that was provisioned under the serial number is: unblock it first",
                reason: ReasonCode.deviceBlocked.rawValue)
        }
    }

    private func removeEnrolment(
        _ caller: Caller, _ app: AppProfile, _ fields: RemovalFields
    ) async throws -> Assay_V1_RemoveEnrolmentResponse {
        let context = ChangeContext(.caller(caller.name), at: clock.now(), reason: fields.comment)
        guard try await ledger.removeEnrolment(fields.permit, of: app.id, context) else {
            throw RPCError(
                .notFound, "no unused enrolment of this app has that serial number or token", reason: "unknown_enrolment")
        }
        requestLog.changed("removed an enrolment", by: caller, app: app.id, [:])
        return Assay_V1_RemoveEnrolmentResponse()
    }

    private func page(_ listing: EnrolmentListing) async throws -> Assay_V1_ListEnrolmentsResponse {
        let page = try await ledger.enrolments(listing)
        return .with {
            $0.enrolments = page.enrolments.map(\.message)
            $0.nextPageToken = Data(page.next.map { PageToken(position: $0, of: listing).bytes } ?? [])
        }
    }

    /// The permission for a serial number, in the form of a page.
    private func permission(
        for serial: [UInt8], of app: AppID, isUsed: Bool?
    ) async throws -> Assay_V1_ListEnrolmentsResponse {
        let found = try await ledger.enrolment(.serial(serial), of: app)
        return .with {
            $0.enrolments = [found].compactMap(\.self).filter { isUsed ?? ($0.usedBy != nil) == ($0.usedBy != nil) }.map(
                \.message)
        }
    }

    /// What a listing asks for.
    private enum EnrolmentQuery {
        case page(EnrolmentListing)
        case serial([UInt8], of: AppID, isUsed: Bool?)
    }

    private static func query(
        _ app: AppID, _ message: Assay_V1_ListEnrolmentsRequest
    ) throws(RequestError) -> EnrolmentQuery {
        let isUsed: Bool? =
            switch message.state {
            case .unspecified: nil
            case .unused: false
            case .used: true
            case .UNRECOGNIZED: throw RequestError("state", "must be UNUSED, USED or left out")
            }
        let limit = try pageSize.limit(message.pageSize)
        let listing = EnrolmentListing(app: app, isUsed: isUsed, limit: limit)
        guard let serial = try FleetRequest.wanted(message.deviceSerial) else {
            return .page(try listing.continued(by: message.pageToken))
        }
        // There is one at most, so that no page follows.
        guard message.pageToken.isEmpty else { throw .foreignPageToken }
        return .serial(serial, of: app, isUsed: isUsed)
    }
}

/// A one-time token: `enr_` and 32 random bytes in base64url. The ledger keeps its SHA-256.
struct EnrolmentToken {
    let text: String

    init() { text = "enr_" + Base64.url.encode(SecureRandom.bytes(32)) }

    var digest: [UInt8] { SHA256.bytes(of: Array(text.utf8)) }
}

private struct AdditionFields {
    /// The most serial numbers or tokens of one call.
    private static let limit = 1000
    /// The longest that a token is good: a year, in milliseconds.
    private static let longestToken: Int64 = 366 * 86_400_000

    let serials: [String]
    let tokens: Int
    let family: String
    let expiry: Timestamp?
    let comment: String
    let isDryRun: Bool

    init(_ message: Assay_V1_AddEnrolmentsRequest) throws(RequestError) {
        guard message.serials.count <= Self.limit else { throw RequestError("serials", "must be at most \(Self.limit)") }
        guard message.tokens <= UInt32(Self.limit) else { throw RequestError("tokens", "must be at most \(Self.limit)") }
        guard !message.serials.isEmpty || message.tokens > 0 else {
            throw RequestError("serials", "must be given, unless tokens are asked for")
        }
        var serials: [String] = []
        for (place, text) in message.serials.enumerated() {
            serials.append(try FleetRequest.serial(text, field: "serials[\(place)]"))
        }
        (self.serials, tokens) = (serials, Int(message.tokens))
        family = message.deviceFamily
        try family.check("device_family", limit: 4 * FleetRequest.familyLimit)
        try family.checkVisible("device_family")
        expiry = message.expiresAtUnixMs == 0 ? nil : Timestamp(unixMilliseconds: message.expiresAtUnixMs)
        comment = message.comment
        isDryRun = message.dryRun
        try comment.check("comment", limit: DevicesService.reasonLimit)
    }

    func checkEnd(at now: Timestamp) throws(RequestError) {
        if let expiry, expiry <= now { throw RequestError("expires_at_unix_ms", "must be in the future") }
        guard tokens > 0 else { return }
        guard let expiry, expiry.milliseconds(since: now) <= Self.longestToken else {
            throw RequestError("expires_at_unix_ms", "must be given for tokens, and lie within a year")
        }
    }
}

private struct ReadmissionFields {
    let serial: [UInt8]
    let family: String
    let expiry: Timestamp?
    let reason: String

    init(_ message: Assay_V1_ReadmitDeviceRequest) throws(RequestError) {
        serial = Array(try FleetRequest.serial(message.deviceSerial).utf8)
        family = message.deviceFamily
        try family.check("device_family", limit: 4 * FleetRequest.familyLimit)
        try family.checkVisible("device_family")
        expiry = message.expiresAtUnixMs == 0 ? nil : Timestamp(unixMilliseconds: message.expiresAtUnixMs)
        reason = message.reason
        guard !reason.isEmpty else { throw RequestError("reason", "must not be empty") }
        try reason.check("reason", limit: DevicesService.reasonLimit)
    }
}

private struct RemovalFields {
    let permit: Enrolment.Permit
    let comment: String

    init(_ message: Assay_V1_RemoveEnrolmentRequest) throws(RequestError) {
        switch message.permit {
        case .serial(let text):
            // Not checked as for additions: earlier versions took serial numbers with white space at their ends.
            let serial = try Array(text.utf8).bounded("serial", by: 4 * FleetRequest.serialLimit)
            guard !serial.isEmpty else { throw RequestError("serial", "must not be empty") }
            permit = .serial(serial)
        case .token(let text):
            permit = .token(SHA256.bytes(of: try Array(text.utf8).bounded("token", by: FleetRequest.tokenLimit)))
        case .tokenSha256(let digest):
            guard digest.count == 32 else { throw RequestError("token_sha256", "must have 32 bytes") }
            permit = .token(Array(digest))
        case nil:
            try message.refuseUnknown("permit")
            throw RequestError("permit", "must name a serial number or a token")
        }
        comment = message.comment
        try comment.check("comment", limit: DevicesService.reasonLimit)
    }
}
