import AssayAPI
import AssayCore
import AssayRPC
import Foundation
import SwiftProtobuf

extension DevicesService {
    /// Sorts out what cannot be on record, and hands the rest to the ledger together.
    func importDevices(_ call: RPCCall) async throws(RPCError) -> Assay_V1_ImportDevicesResponse {
        let caller = try authorizer.admit(call.peer, to: .importDevices)
        let message = try call.decode(Assay_V1_ImportDevicesRequest.self)
        let (app, candidates): (AppID, [ImportCandidate])
        do throws(RequestError) {
            app = try AppID(field: message.app)
            guard (1...ImportedDevice.batchLimit).contains(message.devices.count) else {
                throw RequestError(
                    "devices", "must be 1 to \(ImportedDevice.batchLimit), not \(message.devices.count)")
            }
            candidates = try message.devices.map(ImportCandidate.init)
        } catch {
            throw RPCError(error)
        }
        let profile = try authorizer.profile(of: app, for: caller)
        return try await limiter.pass(call) { () async throws(RPCError) in
            try await add(candidates, to: profile, for: caller)
        }
    }

    private func add(
        _ candidates: [ImportCandidate], to profile: AppProfile, for caller: Caller
    ) async throws(RPCError) -> Assay_V1_ImportDevicesResponse {
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
                            // Nobody here knows which values up to the highest were used: all of them.
                            counterWindow: counter == 0 ? 1 : .max)
                    ))
                results.append(.init())
            } catch {
                results.append(.init(refusing: error))
            }
        }
        let context = context(of: caller)
        let outcomes = try await ask { [devices] () async throws(LedgerError) in
            try await ledger.add(imported: devices.map(\.device), context)
        }
        for ((index, _), outcome) in zip(devices, outcomes) { results[index] = .init(outcome) }
        let added = results.count { $0.outcome == .added }
        authorizer.requestLog.changed(
            "imported devices", by: caller, app: app, ["added": "\(added)", "given": "\(results.count)"])
        return .with { $0.results = results }
    }
}

/// A device of the request, and whose it is.
private struct ImportCandidate {
    let device: ImportedDevice
    let subject: [UInt8]

    init(_ message: Assay_V1_ImportedDevice) throws(RequestError) {
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
