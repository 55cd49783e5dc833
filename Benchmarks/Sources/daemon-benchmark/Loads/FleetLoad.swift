import AssayAPI
import AssayClient
import AssayCore
import AssaySimulator
import Foundation
import SwiftProtobuf

/// Devices of a fleet that are provisioned: each gets a certificate and three key tables.
struct FleetLoad: Load {
    let clients: [AssayClient]
    let devices: Int

    static func prepare(_ daemon: DaemonProcess, devices: Int, connections: Int) async throws -> FleetLoad {
        FleetLoad(clients: try await Clients.connect(connections, to: daemon.address), devices: devices)
    }

    func requests(_ count: Int) async throws -> [[PlainFrame.Request]] {
        let cameras = try await Fleet.enrol(devices * count, over: clients[0])
        return try (0..<devices).map { device in
            try (0..<count).map { number in
                let request = try Fleet.request(cameras[device * count + number])
                return try PlainFrame.Request("/assay.v1.Provisioning/ProvisionDevice", request.message)
            }
        }
    }

    func check(_ answer: [UInt8]) throws {
        let response = try Assay_V1_ProvisionDeviceResponse(serializedBytes: answer)
        guard !response.deviceCertificate.isEmpty, response.keyTables.count == 3 else {
            throw AssayError(.internalError, "not provisioned: \(response.rejection.reason)")
        }
    }
}

/// Virtual cameras.
enum Fleet {
    /// Makes cameras with new serial numbers on the allow-list.
    static func enrol(_ count: Int, over client: AssayClient) async throws -> [VirtualCamera] {
        let cameras = (0..<count).map { _ in VirtualCamera(serial: "CAM-\(UUID().uuidString)") }
        for start in stride(from: 0, to: count, by: 1000) {
            let serials = cameras[start..<min(start + 1000, count)].map(\.serial)
            _ = try await client.addEnrolments(app: try DaemonConfiguration.fleetApp, serials: serials)
        }
        return cameras
    }

    static func request(_ camera: VirtualCamera) throws -> FleetDeviceRequest {
        FleetDeviceRequest(app: try DaemonConfiguration.fleetApp, serial: camera.serial, csr: try camera.certificateRequest())
    }
}
