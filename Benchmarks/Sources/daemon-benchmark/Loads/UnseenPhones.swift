import AssayAPI
import AssayClient
import SwiftProtobuf

/// Uploads of phones that the measured daemon has never seen: before each round another daemon on the same ledger imports new ones.
struct UnseenPhones: Load {
    private let phones: ImportedPhones
    private let devices: Int

    /// - Parameter importer: the other daemon.
    static func prepare(importedBy importer: DaemonProcess, devices: Int, connections: Int) async throws -> UnseenPhones {
        UnseenPhones(
            phones: try await ImportedPhones(importer, assertions: devices, connections: connections), devices: devices)
    }

    var clients: [AssayClient] { phones.clients }

    func requests(_ count: Int) async throws -> [[PlainFrame.Request]] {
        let first = phones.count
        try await phones.grow(to: first + devices)
        return try await phones.uploads(count, of: Array(first..<phones.count))
    }

    func check(_ answer: [UInt8]) throws { try phones.check(answer) }
}
