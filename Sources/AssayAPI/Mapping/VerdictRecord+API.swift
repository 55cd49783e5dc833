package import AssayCore
import Foundation
import SwiftProtobuf

/// Between `assay.v1.Verdicts` and the records of AssayCore.
extension VerdictRecord {
    /// The message, without findings.
    package var listed: Assay_V1_VerdictRecord {
        .with {
            $0.set(request)
            $0.decision = decision.message
            $0.set(reason)
            $0.caller = request.caller
            $0.purpose = request.purpose.message
            $0.formats = request.formats.map(\.rawValue)
            $0.deviceID = Data(device?.bytes ?? [])
            $0.subjectHash = Data(request.subject)
            $0.assurance = assurance.message
            $0.simulated = simulated
            $0.standsFor = standsFor
            $0.evidenceDigest = Data(request.evidenceDigest)
            if let binding = request.binding { $0.binding = binding.message }
            $0.payloadSha256 = Data(request.payloadDigest)
            $0.policyDigest = Data(policyDigest)
            $0.truncated = isTruncated
            $0.wouldReject = wouldReject
            if !traits.isEmpty { $0.traits = traits.message }
        }
    }

    /// The whole message.
    ///
    /// - Parameter policyKey: the key of the configuration that decides a finding's check; `nil` where none does.
    package func message(policyKey: (Finding) -> String?) -> Assay_V1_VerdictRecord {
        var message = listed
        message.feeds = feeds.map { feed in
            .with {
                $0.feed = feed.name
                $0.id = feed.id
                $0.ageMs = UInt32(clamping: request.time.milliseconds(since: feed.asOf))
            }
        }
        message.findings = findings.map { finding in
            .with {
                $0.finding.check = finding.check
                $0.finding.outcome = finding.outcome.message
                $0.finding.code = finding.code
                $0.finding.detail = finding.detail
                $0.finding.vendorCode = finding.vendorCode
                $0.policyKey = policyKey(finding) ?? ""
            }
        }
        return message
    }

    /// What a caller without the role `operate` sees of its own request.
    package var summary: Assay_V1_VerdictRecord {
        .with {
            $0.set(request)
            $0.decision = decision.message
            $0.set(reason)
            $0.check = ""
            $0.wouldReject = wouldReject
        }
    }
}

extension Assay_V1_VerdictRecord {
    fileprivate mutating func set(_ request: VerdictRecord.Request) {
        requestID = Data(request.id)
        timeUnixMs = request.time.unixMilliseconds
        app = request.app.text
    }

    fileprivate mutating func set(_ why: VerdictRecord.Reason?) {
        guard let why else { return }
        (reason, detail, check) = (why.code, why.sentence, why.check)
        retry = why.retry.message
    }

    /// An acceptance that the audit log has, or a rejection that was answered like one.
    package init(_ record: AuditRecord, number: Int64, by writer: AuditWriter, at time: Timestamp) {
        self = .with {
            $0.requestID = Data(record.requestID)
            $0.timeUnixMs = time.unixMilliseconds
            $0.decision = record.wouldReject.isEmpty ? .accepted : .rejected
            ($0.reason, $0.wouldReject) = (record.wouldReject, !record.wouldReject.isEmpty)
            $0.app = record.app.text
            $0.caller = record.caller
            $0.purpose = record.purpose.message
            $0.deviceID = Data(record.device?.bytes ?? [])
            $0.assurance = record.assurance.message
            $0.simulated = record.simulated
            $0.standsFor = 1
            $0.evidenceDigest = Data(record.evidenceDigest)
            $0.policyDigest = Data(record.policyDigest)
            ($0.auditNumber, $0.auditWriter) = (number, writer.name)
        }
    }
}

extension DeviceTraits {
    fileprivate var message: Assay_V1_DeviceTraits {
        .with {
            $0.platform = platform?.rawValue ?? ""
            ($0.model, $0.osVersion, $0.appVersion) = (model, osVersion, appVersion)
        }
    }
}

extension VerdictRecord.Decision {
    package var message: Assay_V1_VerdictRecord.Decision {
        switch self {
        case .accepted: .accepted
        case .rejected: .rejected
        case .unjudged: .unjudged
        }
    }

    /// A filter's decision; `nil` for all.
    package init?(field message: Assay_V1_VerdictRecord.Decision) throws(RequestError) {
        switch message {
        case .unspecified: return nil
        case .accepted: self = .accepted
        case .rejected: self = .rejected
        case .unjudged: self = .unjudged
        case .UNRECOGNIZED: throw RequestError("decision", "must be ACCEPTED, REJECTED, UNJUDGED or left out")
        }
    }
}

extension VerdictRecordStatus {
    package var message: Assay_V1_VerdictRecordState {
        .with {
            $0.recording = true
            ($0.rows, $0.bytes, $0.dropped) = (rows, bytes, dropped)
            $0.problem = problem ?? ""
            $0.uncleanSinceUnixMs = uncleanSince?.unixMilliseconds ?? 0
        }
    }
}
