import AssayAPI
import AssayCore
import AssaySimulator
import Foundation
import SwiftProtobuf

extension RequestRecorder {
    mutating func issueChallenge() throws -> RecordedRequest {
        let request = Assay_V1_IssueChallengeRequest.with {
            $0.app = oneIn(8) ? pick(["unknown", "", "Not An App"]) : pick(World.apps)
            $0.purpose = pick([.register, .assert, .assert, .provision, .renew, .unspecified])
            $0.context = Data(bytes(pick([0, 0, 10, 64, 65])))
            $0.ttlMs = pick([0, 0, 1, 60_000, 3_600_000, 3_600_001, .max])
            if oneIn(5) { $0.sourceAddress = pick(["192.0.2.9", "nowhere", "2001:db8::2"]) }
        }
        return try RecordedRequest("challenge", .issueChallenge, request)
    }

    /// Evidence of a vendor that is not asked, of a plugin that there is not, or of none.
    mutating func other() async throws -> Assay_V1_VerifyRequest {
        let app = pick(World.apps)
        let purpose: Assay_V1_Purpose = pick([.register, .assert])
        let challenge = try await challenge(app, purpose)
        return .with {
            ($0.app, $0.purpose, $0.challenge) = (app, purpose, Data(challenge))
            $0.evidence = [
                .with {
                    switch below(4) {
                    case 0: $0.safetyNetResponse.jws = pick(["", "e30.e30.AA", "ä", "a.b.c"])
                    case 1: $0.deviceCheckToken.token = Data(bytes(below(200)))
                    case 2:
                        ($0.pluginEvidence.format, $0.pluginEvidence.body) = (
                            pick(["example-hmac", "", "Bad Format"]), Data(bytes(9))
                        )
                    default: $0.playIntegrityToken.token = pick(["", "a.b.c.d.e", "ü", String(repeating: "A", count: 3000)])
                    }
                }
            ]
        }
    }

    /// What operators ask of devices, and change. Devices that were registered in the comparison are named by their keys: their ids are drawn.
    mutating func registryRequest() throws -> RecordedRequest {
        let phone = pick(phones)
        let app = oneIn(8) ? pick(World.apps + ["unknown"]) : phone.app
        var target = Assay_V1_BlockTarget()
        switch below(5) {
        case 0: target.deviceID = phone.device.isEmpty ? Data(bytes(16)) : phone.device
        case 1: target.subject = Data(pick(["alice", "bob", "dave"]).utf8)
        case 2: target.keyID = Data(bytes(pick([0, 32, 65])))
        case 3: break
        default: target.keyID = Data(phone.key.keyID)
        }
        switch below(11) {
        case 0, 1:
            let request = Assay_V1_BlockRequest.with {
                ($0.app, $0.target, $0.reason) = (app, target, oneIn(6) ? "" : "stolen")
            }
            return try RecordedRequest("block", .block, request)
        case 2, 3, 4:
            return try RecordedRequest(
                "unblock", .unblock, Assay_V1_UnblockRequest.with { ($0.app, $0.target) = (app, target) })
        case 5:
            let request = Assay_V1_ForgetDeviceRequest.with {
                ($0.app, $0.reason) = (app, "sold")
                $0.deviceID = oneIn(12) ? phone.device : Data(bytes(16))
            }
            return try RecordedRequest("forgotten device", .forget, request)
        case 6:
            let request = Assay_V1_GetDeviceRequest.with {
                $0.app = app
                if oneIn(3) { $0.deviceID = phone.device } else { $0.keyID = Data(phone.key.keyID) }
            }
            return try RecordedRequest("device", .getDevice, request)
        case 7:
            let request = Assay_V1_ListDevicesRequest.with {
                ($0.app, $0.pageSize) = (app, UInt32(below(120)))
                if oneIn(3) { $0.subject = Data("alice".utf8) }
                $0.state = pick([.unspecified, .active, .blocked])
            }
            return try RecordedRequest("list of devices", .listDevices, request)
        case 8: return try flagRequest(phone, app)
        case 9:
            let request = Assay_V1_UnflagDeviceRequest.with {
                ($0.app, $0.deviceID, $0.flag) = (app, phone.device, pick(["farm", "odd", "Not a name"]))
            }
            return try RecordedRequest("unflag", .unflag, request)
        case 10 where oneIn(2):
            let request = Assay_V1_PrepareRequest.with {
                ($0.app, $0.format, $0.body) = (app, pick(["example-hmac", "", "app-attest.assertion"]), Data(bytes(4)))
            }
            return try RecordedRequest("preparation", .prepare, request)
        default: return try RecordedRequest("caller", .whoAmI, Assay_V1_WhoAmIRequest())
        }
    }

    private mutating func flagRequest(_ phone: Stage.Phone, _ app: String) throws -> RecordedRequest {
        let now = SystemClock().now()
        let request = Assay_V1_FlagDeviceRequest.with {
            ($0.app, $0.deviceID) = (app, oneIn(8) ? Data(bytes(16)) : phone.device)
            ($0.flag, $0.reason) = (pick(["farm", "odd", "flag_\(below(12))", "Not a name", ""]), oneIn(3) ? "" : "seen twice")
            // Far from the bounds: the daemons are not asked at the same instant.
            $0.untilUnixMs = pick([0, 1, now.adding(milliseconds: 86_400_000).unixMilliseconds, .max])
        }
        return try RecordedRequest("flag", .flag, request)
    }
}
