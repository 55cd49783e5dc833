package import AssayAPI
import AssayCore
import Foundation
import SwiftProtobuf

extension WatchEvent {
    /// The message of an event.
    package func message(_ sequence: UInt64) -> Assay_V1_Event {
        .with {
            $0.sequence = sequence
            $0.timeUnixMs = time.unixMilliseconds
            $0.kind = kind
            $0.app = app?.text ?? ""
            $0.deviceID = Data(device?.bytes ?? [])
            $0.caller = caller ?? ""
            switch content {
            case .verdict(let given): $0.verdict = given.message
            case .change(let change, let number): $0.change = change.message(number)
            case .device(let finding): $0.device = finding.message
            }
        }
    }
}

extension WatchEvent.GivenDecision {
    fileprivate var message: Assay_V1_VerdictEvent {
        .with {
            $0.requestID = Data(requestID)
            $0.decision = decision.message
            ($0.code, $0.check) = (code, check)
            $0.assurance = assurance.message
            $0.purpose = purpose.message
            $0.formats = formats.map(\.rawValue)
            $0.policyDigest = Data(policyDigest)
            $0.simulated = simulated
            $0.wouldReject = wouldReject
        }
    }
}

extension AuditChange {
    fileprivate func message(_ number: Int64) -> Assay_V1_ChangeEvent {
        .with {
            $0.auditNumber = number
            $0.origin =
                switch origin {
                case .caller: "caller"
                case .start: "start"
                case .signal: "signal"
                case .schedule: "schedule"
                case .plugin: "plugin"
                }
            $0.name = name
            $0.count = count
        }
    }
}

extension DeviceFinding {
    fileprivate var message: Assay_V1_DeviceEvent {
        .with {
            ($0.code, $0.check, $0.detail) = (code, check, detail)
            $0.policyDigest = Data(policyDigest)
            ($0.feed, $0.feedID) = (feed?.name ?? "", feed?.id ?? "")
        }
    }
}

extension WatchFilter {
    /// The filters of a request.
    init(_ request: Assay_V1_WatchRequest) throws(RequestError) {
        func bounded(_ values: [String], _ field: String, _ limit: Int, each bytes: Int) throws(RequestError) -> Set<String> {
            guard values.count <= limit else {
                throw RequestError(field, "must have at most \(limit) values, not \(values.count)")
            }
            for value in values {
                guard !value.isEmpty else { throw RequestError(field, "must have no empty value") }
                try value.check(field, limit: bytes)
            }
            return Set(values)
        }
        let kinds = try bounded(request.kinds, "kinds", Self.kindLimit, each: 64)
        for kind in kinds where !WatchKind.isKnown(kind) {
            throw RequestError("kinds", "must have kinds of events, or verdict, change or device")
        }
        guard request.apps.count <= Self.valueLimit else {
            throw RequestError("apps", "must have at most \(Self.valueLimit) values, not \(request.apps.count)")
        }
        var apps: Set<AppID> = []
        for app in request.apps { apps.insert(try AppID(field: app)) }
        self.init(
            kinds: kinds, apps: apps,
            callers: try bounded(request.callers, "callers", Self.valueLimit, each: RecordLimits.name),
            codes: try bounded(request.codes, "codes", Self.valueLimit, each: FailureCode.lengthLimit),
            device: request.deviceID.isEmpty ? nil : try DeviceID(field: "device_id", request.deviceID))
    }
}
