import AssayAPI
import AssayCore
import AssayRPC
import Foundation
import SwiftProtobuf

extension DevicesService {
    /// Refuses the devices that cannot be on record, and hands the others to the ledger together.
    func importDevices(
        _ caller: Caller, _ profile: AppProfile, _ candidates: [ImportCandidate]
    ) async throws -> Assay_V1_ImportDevicesResponse {
        let (app, now) = (profile.id, clock.now())
        var results: [Assay_V1_ImportDevicesResponse.Result] = []
        var devices: [(index: Int, device: Device)] = []
        for candidate in candidates {
            guard let importer = profile.verifiers[candidate.device.format]?.importer else {
                throw RPCError(
                    .failedPrecondition, ReasonCode.importedNotAccepted.summary,
                    reason: ReasonCode.importedNotAccepted.rawValue)
            }
            do throws(Rejection) {
                let registration = try importer.registration(of: candidate.device)
                let counter = candidate.device.counter
                devices.append(
                    (
                        results.count,
                        Device(
                            id: .random(), app: app, subject: subjects.hash(candidate.subject, app: app),
                            registration: registration, registeredAt: now, counter: counter,
                            // The request gives the highest counter that was used: all values up to it count as used.
                            counterWindow: counter == 0 ? 1 : .max)
                    ))
                results.append(.init())
            } catch {
                results.append(.init(refusing: error))
            }
        }
        let context = context(of: caller)
        let outcomes = try await ledger.add(imported: devices.map(\.device), context)
        for ((index, _), outcome) in zip(devices, outcomes) { results[index] = .init(outcome) }
        let added = results.count { $0.outcome == .added }
        requestLog.changed(
            "imported devices", by: caller, app: app, ["added": "\(added)", "given": "\(results.count)"])
        return .with { $0.results = results }
    }
}

/// A device of an import request, and its subject.
struct ImportCandidate {
    fileprivate let device: ImportedDevice
    fileprivate let subject: [UInt8]

    /// The devices of a request, 1 to `ImportedDevice.batchLimit` of them.
    static func all(of message: Assay_V1_ImportDevicesRequest) throws(RequestError) -> [ImportCandidate] {
        guard (1...ImportedDevice.batchLimit).contains(message.devices.count) else {
            throw RequestError("devices", "must be 1 to \(ImportedDevice.batchLimit), not \(message.devices.count)")
        }
        return try message.devices.map(ImportCandidate.init)
    }

    private init(_ message: Assay_V1_ImportedDevice) throws(RequestError) {
        device = try ImportedDevice(message)
        subject = try message.subject.bounded("devices.subject", by: VerificationRequest.subjectLimit)
    }
}

extension Assay_V1_ImportDevicesResponse.Result {
    fileprivate init(refusing rejection: Rejection) {
        self.init()
        outcome = .refused
        reason = rejection.code.rawValue
        detail = rejection.detail
    }

    fileprivate init(_ found: ImportOutcome) {
        switch found {
        case .refused(let code): self.init(refusing: code.rejection)
        case .added(let id): self.init(.added, id)
        case .present(let id): self.init(.present, id)
        case .conflict(let id): self.init(.conflict, id)
        }
    }

    private init(_ outcome: Assay_V1_ImportDevicesResponse.Outcome, _ id: DeviceID) {
        self.init()
        self.outcome = outcome
        deviceID = Data(id.bytes)
    }
}
