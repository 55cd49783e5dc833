import AssayAPI
import AssayCore
import AssayRPC
import Foundation
import SwiftProtobuf

/// Where shadow policies decide otherwise.
extension PoliciesService {
    static let differencePageSize = PageSize(usual: 100, longest: 500)
    /// Of an answer's differences together, in bytes, approximately: it stays below a frame of 1 MiB.
    private static let answerLimit = 700 << 10

    func differences(_ query: DifferenceQuery, _ caller: Caller) -> Assay_V1_ListDifferencesResponse {
        var left = Self.answerLimit
        return .with {
            $0.reports = shadow.reports.filter { caller.may(use: $0.app) && (query.app == nil || query.app == $0.app) }
                .map { report in
                    var message = report.message
                    for difference in report.differences.reversed().prefix(query.limit) {
                        guard query.since.map({ difference.time >= $0 }) ?? true else { continue }
                        let listed = difference.message
                        left -= 200 + listed.before.detail.utf8.count + listed.after.detail.utf8.count
                        guard left > 0 else { break }
                        message.differences.append(listed)
                    }
                    return message
                }
        }
    }
}

/// The fields of `ListDifferences`.
struct DifferenceQuery: Sendable {
    let app: AppID?
    let since: Timestamp?
    let limit: Int

    init(_ request: Assay_V1_ListDifferencesRequest) throws(RequestError) {
        app = request.app.isEmpty ? nil : try AppID(field: request.app)
        since = request.sinceUnixMs == 0 ? nil : Timestamp(unixMilliseconds: request.sinceUnixMs)
        limit = try PoliciesService.differencePageSize.limit(request.limit)
    }
}

extension ShadowReport {
    /// Without its differences.
    fileprivate var message: Assay_V1_ShadowReport {
        .with {
            $0.app = app.text
            ($0.policyDigest, $0.shadowDigest) = (Data(policyDigest), Data(shadowDigest))
            $0.begunAtUnixMs = begunAt.unixMilliseconds
            $0.changes = .with {
                $0.same = changes[.same] ?? 0
                $0.newlyRejected = changes[.newlyRejected] ?? 0
                $0.newlyAccepted = changes[.newlyAccepted] ?? 0
                $0.reasonChanged = changes[.reasonChanged] ?? 0
                $0.assuranceChanged = changes[.assuranceChanged] ?? 0
                $0.notJudged = changes[.notJudged] ?? 0
            }
            $0.dropped = dropped
        }
    }
}

extension VerdictDifference {
    fileprivate var message: Assay_V1_VerdictDifference {
        .with {
            $0.requestID = Data(requestID)
            $0.atUnixMs = time.unixMilliseconds
            $0.app = app.text
            $0.deviceID = Data(device?.bytes ?? [])
            $0.change = change.rawValue
            ($0.before, $0.after) = (before.message, after.message)
        }
    }
}

extension TrialOutcome {
    /// A sentence of an answer has at most so many characters.
    private static let sentenceLimit = 512

    fileprivate var message: Assay_V1_PolicyOutcome {
        .with {
            switch self {
            case .accepted(let assurance): ($0.decision, $0.assurance) = ("accepted", assurance.name)
            case .rejected(let rejection, let check):
                ($0.decision, $0.reason, $0.check) = ("rejected", rejection.code.rawValue, check)
                $0.detail = String(rejection.detail.prefix(Self.sentenceLimit))
            case .unjudged(let check, let detail):
                ($0.decision, $0.check, $0.detail) = ("unjudged", check, String(detail.prefix(Self.sentenceLimit)))
            }
        }
    }
}
