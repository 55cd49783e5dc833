import AssayAPI
import AssayCore
import Foundation
import SwiftProtobuf
import Testing

@Suite("Provisioned device")
struct ProvisionedDeviceTests {
    @Test("has the bytes of the message that the generated code writes", arguments: [false, true])
    func message(again: Bool) throws {
        let app = try #require(AppID("camera"))
        let time = Timestamp(unixMilliseconds: 100)
        let tables = KeyTables(masters: [0: bytes(32, 1), 5: bytes(32, 2), 2499: bytes(32, 3)])
        let device = ProvisionedDevice(
            certificate: DeviceCertificate(
                name: CertificateName(issuer: bytes(32, 4), serial: bytes(16, 5)), app: app,
                device: try #require(DeviceID(bytes: bytes(16, 6))), keyID: bytes(32, 7), notBefore: time, notAfter: time,
                issuedAt: time,
                basis: CertificateBasis(
                    assurance: .hardware, protection: .provisioned, platform: .fleetDevice, policyDigest: bytes(32, 8),
                    simulated: false), der: bytes(700, 9)),
            chain: [bytes(600, 10), bytes(500, 11)], tables: [2499, 0, 5].compactMap { tables.table($0) },
            secret: bytes(32, 12),
            privateKey: again ? [] : bytes(138, 13), repeated: again)
        let message = Assay_V1_ProvisionDeviceResponse.with {
            $0.deviceCertificate = Data(count: 700, of: 9)
            $0.certificateChain = [Data(count: 600, of: 10), Data(count: 500, of: 11)]
            $0.keyTables = [UInt16(2499), 0, 5].map { number in
                let keys = tables.table(number)?.keys ?? []
                return .with {
                    $0.keys = stride(from: 0, to: keys.count, by: 32).map { Data(keys[$0..<$0 + 32]) }
                }
            }
            $0.keyTableIndices = [2499, 0, 5]
            $0.deviceSecret = Data(count: 32, of: 12)
            $0.devicePrivateKey = again ? Data() : Data(count: 138, of: 13)
            $0.deviceID = Data(count: 16, of: 6)
            $0.repeated = again
        }
        let expected: [UInt8] = try message.serializedBytes()
        #expect(message.keyTables.map(\.keys.count) == [1000, 1000, 1000])
        #expect(device.serialized() == expected)
    }
}
