import AssayAPI
package import AssayCore
import AssayRPC
import Foundation
import SwiftProtobuf

/// `Find` of `assay.v1.Verdicts`: whether a file was accepted.
package struct LookupService: Sendable {
    private let lookup: VerdictLookup
    private let answering: Answering
    private let clock: any WallClock
    private let counters: VerdictCounters
    private let signing: LookupSigning

    package init(
        lookup: VerdictLookup, answering: Answering, clock: any WallClock, counters: VerdictCounters,
        signing: LookupSigning
    ) {
        (self.lookup, self.answering, self.clock) = (lookup, answering, clock)
        (self.counters, self.signing) = (counters, signing)
    }

    package var methods: [MethodBody] { [.unary(API.findVerdicts, reading: { try Fields($1) }, find)] }

    private struct Fields: Sendable {
        let hash: [UInt8]
        let address: SourceAddress?
        let results: [ResultRequest]

        init(_ request: Assay_V1_FindVerdictsRequest) throws(RequestError) {
            hash = Array(request.payloadSha256)
            guard hash.count == 32 else { throw RequestError("payload_sha256", "must have 32 bytes, not \(hash.count)") }
            address = try SourceAddress?(field: request.sourceAddress.utf8)
            results = try [ResultRequest](field: request.results)
            for (place, result) in results.enumerated() where ![.plainJWS, .plainCOSE].contains(result.shape) {
                throw RequestError(
                    "results[\(place)].shape",
                    "must be PLAIN_JWS or PLAIN_COSE: other shapes are of verdicts that are given now")
            }
        }
    }

    private func find(
        _ caller: Caller, _ app: AppProfile, _ fields: Fields
    ) async throws -> Assay_V1_FindVerdictsResponse {
        guard app.lookup != nil else { throw RPCError.lookupNotConfigured(of: app.id) }
        try signing.check(fields.results, of: app)
        try answering.charge(.lookups, caller, app.id, fields.address, at: answering.chargingTime())
        let now = clock.now()
        let (verdicts, hasMore) = try await lookup.find(fields.hash, of: app.id, at: now)
        counters.lookedUp(app.id, found: !verdicts.isEmpty)
        var answer = Assay_V1_FindVerdictsResponse.with {
            ($0.app, $0.payloadSha256) = (app.id.text, Data(fields.hash))
            ($0.found, $0.answeredAtUnixMs) = (!verdicts.isEmpty, now.unixMilliseconds)
            ($0.verdicts, $0.truncated) = (verdicts, hasMore)
            if verdicts.isEmpty {
                ($0.note, $0.noteCode) = (LookupNote.nothingFound.sentence, LookupNote.nothingFound.rawValue)
            }
        }
        if !fields.results.isEmpty {
            answer.results = try await signing.sign(answer, at: now, for: fields.results, of: app).map(\.message)
        }
        return answer
    }
}

extension RPCError {
    fileprivate static func lookupNotConfigured(of app: AppID) -> RPCError {
        RPCError(
            .failedPrecondition, "the app \(app) has no section \"lookup\": its verdicts are not kept for look-ups",
            reason: "lookup_not_configured")
    }
}
