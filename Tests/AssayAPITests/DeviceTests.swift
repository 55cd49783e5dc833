import AssayAPI
import AssayCore
import Foundation
import SwiftProtobuf
import Testing

@Suite("Device")
struct DeviceTests {
    private func device(blocks: [Device.Block] = [], subject: [UInt8]? = nil) throws -> Device {
        Device(
            id: try #require(DeviceID(bytes: bytes(16, 1))), app: try #require(AppID("camera")), subject: subject,
            registration: Registration(
                format: .appAttestAttestation, keyID: bytes(32, 2), publicKey: bytes(65, 3), environment: "production",
                anchor: bytes(32, 4), claims: Claims([.init(name: "os", value: .text("27"))]),
                chainSerials: [[5], [6, 7]], receipt: bytes(3700, 8), simulated: true),
            registeredAt: Timestamp(unixMilliseconds: 100), blocks: blocks, counter: 41,
            lastAcceptedAt: Timestamp(unixMilliseconds: 200))
    }

    @Test("has every field in its message, but no receipt and no subject")
    func message() throws {
        let message = try device(subject: bytes(32, 9)).message
        #expect(Array(message.deviceID) == bytes(16, 1) && message.app == "camera")
        #expect(message.format == "app-attest.attestation" && message.environment == "production")
        #expect(Array(message.keyID) == bytes(32, 2) && Array(message.publicKey) == bytes(65, 3))
        #expect(message.state == .active && message.blockReason.isEmpty && message.blockedAtUnixMs == 0)
        #expect(message.counter == 41 && message.registeredAtUnixMs == 100 && message.lastAcceptedAtUnixMs == 200)
        #expect(Array(message.anchorSpkiSha256) == bytes(32, 4) && message.chainSerials == [Data([5]), Data([6, 7])])
        #expect(Claims(message.claims).text("os") == "27")
        #expect(message.receiptLength == 3700 && message.simulated && message.hasSubject_p)
        let wire: [UInt8] = try message.serializedBytes()
        #expect(wire.count < 1000, "the receipt stays at home")
        #expect(!wire.contains(bytes(32, 9)))
    }

    @Test("that is blocked says why and since when")
    func blocked() throws {
        let message = try device(blocks: [
            .init(.subject, reason: "stolen", since: Timestamp(unixMilliseconds: 300)),
            .init(.key, reason: "sold", since: Timestamp(unixMilliseconds: 400)),
        ]).message
        #expect(message.state == .blocked && message.blockReason == "stolen" && message.blockedAtUnixMs == 300)
        #expect(message.blocks.map(\.kind) == [.subject, .key] && message.blocks.map(\.reason) == ["stolen", "sold"])
        #expect(message.blocks.map(\.sinceUnixMs) == [300, 400])
        #expect(!message.hasSubject_p)
    }

    @Test("is listed without what is long")
    func listed() throws {
        let listed = try device(blocks: [.init(.device, reason: "r", since: Timestamp(unixMilliseconds: 300))]).listed
        #expect(listed.claims.isEmpty && listed.chainSerials.isEmpty && listed.publicKey.isEmpty)
        #expect(listed.state == .blocked && Array(listed.keyID) == bytes(32, 2) && listed.counter == 41)
        let wire: [UInt8] = try listed.serializedBytes()
        #expect(wire.count < 250)
    }

    @Test("that is imported has the fields that its message gave it")
    func imported() throws {
        let device = ImportedDevice(
            format: .appAttestAttestation, publicKey: bytes(65, 4), keyID: bytes(32, 5), platformApp: "T.app",
            environment: "production", counter: 7)
        let message = device.message(subject: [1, 2])
        #expect(try ImportedDevice(message) == device && Array(message.subject) == [1, 2])
    }

    @Test("that is imported comes in bounded fields")
    func importBounds() throws {
        let good = ImportedDevice(
            format: .appAttestAttestation, publicKey: bytes(65, 4), keyID: [], platformApp: "T.app",
            environment: "production", counter: 7
        ).message(subject: [])
        let changes: [(String, (inout Assay_V1_ImportedDevice) -> Void)] = [
            ("devices.key", { $0.key = nil }),
            ("devices.app_attest.public_key", { $0.appAttest.publicKey = Data(count: 134) }),
            ("devices.app_attest.key_id", { $0.appAttest.keyID = Data(count: 65) }),
            ("devices.app_attest.app_id", { $0.appAttest.appID = String(repeating: "a", count: 256) }),
            ("devices.app_attest.environment", { $0.appAttest.environment = String(repeating: "a", count: 33) }),
        ]
        for (field, change) in changes {
            var message = good
            change(&message)
            let error = #expect(throws: RequestError.self) { try ImportedDevice(message) }
            #expect(error?.field == field)
        }
    }
}
