import AssayAPI
import AssayCore
import AssayRPC
import SwiftProtobuf

/// The methods of `assay.v1.Audit` about claims, which are personal data: they need the role `devices`.
struct AuditClaimsMethods: Sendable {
    private let ledger: any AuditLog
    private let clock: any WallClock
    private let requestLog: RequestLog

    init(ledger: any AuditLog, clock: any WallClock, requestLog: RequestLog) {
        (self.ledger, self.clock, self.requestLog) = (ledger, clock, requestLog)
    }

    var methods: [MethodBody] {
        [
            .unary(API.getAuditClaims) { _, app, request in
                try await keptClaims(ofRecord: request.number, app.id) ?? Assay_V1_GetAuditClaimsResponse()
            },
            .unary(API.forgetAuditClaims, reading: { try DeviceID(field: "device_id", $1.deviceID) }, forget),
        ]
    }

    /// `nil` where no claims are kept, or the record is not the app's.
    private func keptClaims(
        ofRecord number: Int64, _ app: AppID
    ) async throws(LedgerError) -> Assay_V1_GetAuditClaimsResponse? {
        let row = try await ledger.audit(from: number, limit: 1).rows.first
        guard let row, row.number == number, let record = AuditRecord(decoding: row.record), record.app == app,
            let kept = try await ledger.auditClaims(of: row.number)
        else { return nil }
        return .with {
            $0.kept = true
            $0.genuine = kept.digest == record.claimsDigest
            $0.claims = Claims(decoding: kept.claims)?.messages ?? []
        }
    }

    private func forget(
        _ caller: Caller, _ app: AppProfile, _ device: DeviceID
    ) async throws(LedgerError) -> Assay_V1_ForgetAuditClaimsResponse {
        // By the app of the records, which is known even for a device that is not in the registry any more.
        let count = try await ledger.forgetAuditClaims(
            of: device, app: app.id, ChangeContext(.caller(caller.name), at: clock.now()))
        requestLog.changed("deleted claims", by: caller, app: app.id, ["device": "\(device)", "records": "\(count)"])
        return .with { $0.count = count }
    }
}
