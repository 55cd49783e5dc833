public import AssayCore
import AssayProtobuf

/// Writes `assay.v1.Verdict` directly from the types of AssayCore. The field numbers are those of `proto/assay/v1/verdict.proto`.
extension Verdict {
    /// The serialised message.
    ///
    /// - Parameters:
    ///   - repeated: marks the verdict as one that was answered before.
    ///   - reported: answers a rejection ACCEPTED, with its reason beside.
    public func serialized(repeated: Bool = false, reported: Bool = false) -> [UInt8] {
        // Most verdicts fit, and the allocator caches blocks of the smaller size for each thread. Those of registrations have many claims.
        ProtobufWriter.message(capacity: claims.all.count > 16 ? 4096 : 960) {
            write(to: &$0, repeated: repeated, reported: reported)
        }
    }

    /// Writes the fields of the message.
    func write(to writer: inout ProtobufWriter, repeated: Bool, reported: Bool = false) {
        switch decision {
        case .accepted(let assurance):
            writer.write(1, Int64(Assay_V1_Decision.accepted.rawValue))
            writer.write(2, Int64(assurance.message.rawValue))
        case .rejected where reported: writer.write(1, Int64(Assay_V1_Decision.accepted.rawValue))
        case .rejected(let rejection, let check):
            writer.write(1, Int64(Assay_V1_Decision.rejected.rawValue))
            writer.write(3, rejection.code.rawValue)
            writer.write(4, rejection.detail)
            writer.write(5, check)
            writer.write(6, Int64(rejection.retry.message.rawValue))
        }
        // By index, and not in a closure: both would copy each element.
        let (findings, claims, feeds) = (findings, claims.all, feeds)
        for index in findings.indices {
            let start = writer.begin(7)
            writer.write(findings[index])
            writer.finish(start)
        }
        for index in claims.indices {
            let start = writer.begin(8)
            writer.write(claims[index])
            writer.finish(start)
        }
        if let device { writer.write(9, device.bytes) }
        if let binding { writer.writeMessage(10) { $0.write(binding) } }
        writer.write(11, evidenceDigest)
        writer.write(12, policyDigest)
        for index in feeds.indices { writer.writeMessage(13) { $0.write(feeds[index], at: decidedAt) } }
        writer.write(14, simulated)
        writer.write(15, repeated)
        writer.write(16, requestID)
        writer.write(17, decidedAt.unixMilliseconds)
        if let confidence { writer.writeMessage(18) { $0.write(confidence) } }
        // 19 has signed results, which are added after the commit.
        if !limits.isEmpty {
            let list = writer.begin(20)
            for limit in limits { writer.writePacked(Int64(limit.message.rawValue)) }
            writer.finish(list)
        }
        if reported, case .rejected(let rejection, let check) = decision {
            writer.writeMessage(21) { $0.write(rejection, check) }
        }
    }
}

extension ProtobufWriter {
    fileprivate mutating func write(_ finding: Finding) {
        write(1, finding.check)
        write(2, Int64(finding.outcome.message.rawValue))
        write(3, finding.code)
        write(4, finding.detail)
        write(5, finding.vendorCode)
    }

    fileprivate mutating func write(_ rejection: Rejection, _ check: String) {
        write(1, rejection.code.rawValue)
        write(2, rejection.detail)
        write(3, check)
        write(4, Int64(rejection.retry.message.rawValue))
    }

    fileprivate mutating func write(_ claim: Claims.Claim) {
        write(1, claim.name)
        switch claim.value {
        case .text(let value): writeAlways(2, value)
        case .integer(let value): writeAlways(3, value)
        case .boolean(let value): writeAlways(4, value ? 1 : Int64(0))
        case .bytes(let value): writeAlways(5, value)
        case .texts(let values): writeMessage(6) { list in for value in values { list.writeAlways(1, value) } }
        case .time(let value): writeAlways(7, value.unixMilliseconds)
        }
    }

    fileprivate mutating func write(_ feed: FeedVersion, at time: Timestamp) {
        write(1, feed.name)
        write(2, feed.id)
        write(3, Int64(UInt32(clamping: time.unixMilliseconds - feed.asOf.unixMilliseconds)))
    }

    fileprivate mutating func write(_ binding: Binding) {
        write(1, Int64(binding.mode.message.rawValue))
        write(2, binding.payloadHash ?? [])
        write(3, binding.clientDataHash)
    }
}

extension Assurance {
    package var message: Assay_V1_Assurance {
        switch self {
        case .none: .none
        case .software: .software
        case .platform: .platform
        case .hardware: .hardware
        case .secureElement: .secureElement
        }
    }
}

extension RetryClass {
    package var message: Assay_V1_RetryClass {
        switch self {
        case .never: .never
        case .newChallenge: .newChallenge
        case .reAttest: .reAttest
        case .later: .later
        case .contactOperator: .contactOperator
        }
    }
}

extension VerdictLimit {
    package var message: Assay_V1_VerdictLimit {
        switch self {
        case .noPayload: .notBoundToPayload
        case .relay: .relayNotExcluded
        case .appsWord: .signalsAreTheAppsWord
        case .callersFreshness: .freshnessByTheCaller
        case .noChallenge: .answersNoChallenge
        case .attestedEarlier: .attestedAtRegistration
        case .noApp: .appNotIdentified
        case .noSystem: .systemNotVerified
        case .softwareKey: .keyInSoftware
        case .vendorsWord: .vendorWordOnly
        case .captureTime: .captureTimeByTheDevice
        }
    }

    /// `nil` for a limit that this version does not know.
    package init?(_ message: Assay_V1_VerdictLimit) {
        guard let limit = Self.allCases.first(where: { $0.message == message }) else { return nil }
        self = limit
    }
}

extension Finding.Outcome {
    var message: Assay_V1_Finding.Outcome {
        switch self {
        case .pass: .pass
        case .fail: .fail
        case .unavailable: .unavailable
        case .skipped: .skipped
        case .note: .note
        }
    }
}

extension Binding.Mode {
    var message: Assay_V1_BoundTo.Mode {
        switch self {
        case .clientData: .clientData
        case .embedded: .embedded
        case .callerOwned: .callerOwned
        case .inEvidence: .inEvidence
        }
    }
}
