import AssayAPI
import AssayCore
import Foundation
import Testing

@Suite("Block")
struct BlockTests {
    @Test("says in its message what is blocked, why and since when")
    func message() throws {
        let app = try #require(AppID("camera"))
        let device = try #require(DeviceID(bytes: bytes(16, 1)))
        let targets: [(BlockTarget, Assay_V1_BlockRecord.OneOf_What)] = [
            (.device(device), .deviceID(Data(bytes(16, 1)))),
            (.subject(bytes(32, 2), of: app), .subjectHash(Data(bytes(32, 2)))),
            (.key(DeviceKey(app: app, keyID: bytes(32, 3))), .keyID(Data(bytes(32, 3)))),
        ]
        for (target, what) in targets {
            let message = BlockRecord(target, reason: "stolen", since: Timestamp(unixMilliseconds: 300)).message
            #expect(message.what == what && message.reason == "stolen" && message.sinceUnixMs == 300)
        }
    }

    @Test("is asked for by its kind, or by none")
    func kinds() throws {
        let kinds: [(Assay_V1_Device.Block.Kind, BlockKind?)] = [
            (.unspecified, nil), (.device, .device), (.subject, .subject), (.key, .key),
        ]
        for (message, kind) in kinds { #expect(try BlockKind?(field: "kind", message) == kind) }
        let error = #expect(throws: RequestError.self) { try BlockKind?(field: "kind", .UNRECOGNIZED(4)) }
        #expect(error?.field == "kind")
    }
}
