import AssayAPI
import AssayCore
import AssayRPC
import Foundation
import SwiftProtobuf

/// The methods of `assay.v1.Audit` about claims, which are personal: role `devices`, and the app has to be the caller's.
struct AuditClaimsMethods: Sendable {
    private let authorizer: CallAuthorizer
    private let ledger: any AuditLog
    private let clock: any WallClock

    init(authorizer: CallAuthorizer, ledger: any AuditLog, clock: any WallClock) {
        (self.authorizer, self.ledger, self.clock) = (authorizer, ledger, clock)
    }

    var methods: [RPCMethod] {
        [
            RPCMethod(
                path: MethodDeclaration.getAuditClaims.path,
                handler: .unary { call async throws(RPCError) in try await get(call) }),
            RPCMethod(
                path: MethodDeclaration.forgetAuditClaims.path,
                handler: .unary { call async throws(RPCError) in try await forget(call) }),
        ]
    }

    private func get(_ call: RPCCall) async throws(RPCError) -> Assay_V1_GetAuditClaimsResponse {
        let caller = try authorizer.admit(call.peer, to: .getAuditClaims)
        let request = try call.decode(Assay_V1_GetAuditClaimsRequest.self)
        let app: AppID
        do { app = try AppID(field: request.app) } catch { throw RPCError(error) }
        _ = try authorizer.profile(of: app, for: caller)
        do throws(LedgerError) {
            let row = try await ledger.audit(from: request.number, limit: 1).rows.first
            guard let row, row.number == request.number, let record = AuditRecord(decoding: row.record), record.app == app,
                let kept = try await ledger.auditClaims(of: row.number)
            else { return Assay_V1_GetAuditClaimsResponse() }
            return .with {
                $0.kept = true
                $0.genuine = kept.digest == record.claimsDigest
                $0.claims = Claims(decoding: kept.claims)?.messages ?? []
            }
        } catch {
            throw RPCError(error)
        }
    }

    private func forget(_ call: RPCCall) async throws(RPCError) -> Assay_V1_ForgetAuditClaimsResponse {
        let caller = try authorizer.admit(call.peer, to: .forgetAuditClaims)
        let request = try call.decode(Assay_V1_ForgetAuditClaimsRequest.self)
        let (app, device): (AppID, DeviceID)
        do {
            (app, device) = (try AppID(field: request.app), try DeviceID(field: "device_id", request.deviceID))
        } catch {
            throw RPCError(error)
        }
        _ = try authorizer.profile(of: app, for: caller)
        do throws(LedgerError) {
            // By the app of the records, so that it works for a device that the registry has forgotten.
            let count = try await ledger.forgetAuditClaims(
                of: device, app: app, ChangeContext(.caller(caller.name), at: clock.now()))
            authorizer.requestLog.changed(
                "deleted claims", by: caller, app: app, ["device": "\(device)", "records": "\(count)"])
            return .with { $0.count = count }
        } catch {
            throw RPCError(error)
        }
    }
}
