import AssayAPI
import AssayCore
import Foundation
import SwiftProtobuf
import Testing

@Suite("Device")
struct DeviceTests {
    private func device(block: Device.Block? = nil, subject: [UInt8]? = nil) throws -> Device {
        Device(
            id: try #require(DeviceID(bytes: bytes(16, 1))), app: try #require(AppID("camera")), subject: subject,
            registration: Registration(
                format: .appAttestAttestation, keyID: bytes(32, 2), publicKey: bytes(65, 3), environment: "production",
                anchor: bytes(32, 4), claims: Claims([.init(name: "os", value: .text("27"))]),
                chainSerials: [[5], [6, 7]], receipt: bytes(3700, 8), simulated: true),
            registeredAt: Timestamp(unixMilliseconds: 100), block: block, counter: 41,
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
        let message = try device(block: .init(reason: "stolen", since: Timestamp(unixMilliseconds: 300))).message
        #expect(message.state == .blocked && message.blockReason == "stolen" && message.blockedAtUnixMs == 300)
        #expect(!message.hasSubject_p)
    }
}
