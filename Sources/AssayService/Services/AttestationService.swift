import AssayAPI
package import AssayCore
import AssayRPC
import Foundation
import SwiftProtobuf

/// `assay.v1.Attestation`: challenges and verdicts.
package struct AttestationService: Sendable {
    private let answering: Answering
    private let keys: ChallengeKeys
    private let counters: VerdictCounters
    private let clock: any WallClock
    private let horizon: SpentHorizon
    private let results: ResultAdmission
    private let uploads: UploadBinding

    /// - Parameters:
    ///   - results: says which results may be asked for.
    ///   - uploads: reads the uploads that requests name.
    package init(
        answering: Answering, keys: ChallengeKeys, counters: VerdictCounters, clock: any WallClock,
        horizon: SpentHorizon = SpentHorizon(), results: ResultAdmission, uploads: UploadBinding
    ) {
        self.uploads = uploads
        (self.answering, self.keys, self.counters) = (answering, keys, counters)
        (self.clock, self.horizon, self.results) = (clock, horizon, results)
    }

    package var methods: [MethodBody] {
        [
            .batch(API.issueChallenge) { batch in
                var issuance = ChallengeIssuance(of: batch.count, answering, keys, counters, horizon, at: clock.now())
                batch.answerEach { call throws(RPCError) in
                    try issuance.answer(call)
                } beforehand: {
                    issuance.countRest()
                }
            },
            .batch(API.verify, verify),
            .unary(API.prepare, reading: { try PreparationFields($1) }, prepare),
        ]
    }

    // MARK: Verify

    private func verify(_ batch: CallBatch) async {
        let time = answering.chargingTime()
        let batch = batch.reading { call throws(RPCError) in try request(call, at: time) }
        guard batch.requests.contains(where: Self.waits) else {
            await judge(batch)
            return
        }
        // A request does not wait for the outside answer, or the upload, that another one needs.
        await withDiscardingTaskGroup { group in
            let (alone, others) = batch.separating(Self.waits)
            for batch in alone { group.addTask { await judge(batch) } }
            await judge(others)
        }
    }

    private func judge(_ batch: RequestBatch<AuthorizedRequest>) async {
        let namesUpload = batch.requests.contains { $0.request.upload != nil }
        let batch = namesUpload ? await batch.mapping(uploads.bind) : batch
        let answers = await answering.answer(batch.requests, traceNames: batch.traceNames)
        batch.answer(answers, names: \.names) { request, answer in
            switch answer {
            case .verdict(let verdict): .success(verdict.serialized())
            case .reported(let reported): .success(reported.message)
            case .repeated(let stored), .completed(_, let stored): .success(stored)
            case .failed(let error): .failure(RPCError(error).naming(request.requestID))
            case .abandoned: nil
            }
        }
    }

    /// Whether something is read for the request that others of its batch need not wait for.
    private static func waits(_ request: AuthorizedRequest) -> Bool {
        request.request.upload != nil || request.profile.asksOutside(about: request.request)
    }

    /// Reads a call with the hot path's own reader, and authorises its app.
    private func request(_ call: AuthorizedCall, at time: Int64) throws(RPCError) -> AuthorizedRequest {
        let read: VerificationRequest?
        do throws(RequestError) {
            read = try VerificationRequest(serialized: call.message)
            try read?.checkTogether()
        } catch {
            throw RPCError(error)
        }
        // Not copied: it is long.
        guard let request = consume read else { throw .undecodableMessage }
        let profile = try call.profile(of: request.app)
        try results.check(request.results, of: profile)
        return try answering.admit(
            request, profile, of: call.caller, trace: call.trace, at: time, isAbandoned: call.isAbandoned)
    }
}

// MARK: Prepare

extension AttestationService {
    private struct PreparationFields: Sendable {
        let format: EvidenceFormat
        let address: SourceAddress?
        let body: [UInt8]

        /// The most that a preparer takes, in bytes.
        private static let bodyLimit = 524_288

        init(_ request: Assay_V1_PrepareRequest) throws(RequestError) {
            guard let format = EvidenceFormat(named: request.format.utf8) else {
                throw RequestError("format", "must have 1 to 64 characters of a-z, 0-9, '.', '_' and '-'")
            }
            self.format = format
            address = try SourceAddress?(field: request.sourceAddress.utf8)
            body = try request.body.bounded("body", by: Self.bodyLimit)
        }
    }

    private func prepare(
        _ caller: Caller, _ app: AppProfile, _ fields: PreparationFields
    ) async throws -> Assay_V1_PrepareResponse {
        try answering.charge(.challenges, caller, app.id, fields.address, at: answering.chargingTime())
        if let why = app.unavailableFormats[fields.format] {
            throw PipelineError.evidenceUnavailable(check: "plugin", detail: why)
        }
        do throws(PreparationFailure) {
            guard let preparer = app.preparers[fields.format] else { throw .notPrepared }
            let preparation = try await preparer.prepare(fields.body, for: app.id, at: clock.now())
            return .with {
                $0.body = Data(preparation.body)
                $0.expiresAtUnixMs = preparation.expiry?.unixMilliseconds ?? 0
            }
        } catch {
            switch error {
            case .refused(let rejection):
                throw RPCError(.failedPrecondition, rejection.detail, reason: rejection.code.rawValue)
            case .notPrepared where app.verifiers[fields.format] == nil:
                throw RPCError(
                    .failedPrecondition, "the app does not accept \(fields.format)",
                    reason: ReasonCode.formatNotAccepted.rawValue)
            case .notPrepared:
                throw RPCError(.failedPrecondition, "\(fields.format) prepares nothing", reason: "nothing_to_prepare")
            case .unavailable(let why, let check, let delay):
                throw RPCError(.evidenceUnavailable(check: check, detail: why), retryAfter: delay)
            }
        }
    }
}

extension RPCError {
    /// The error of a request that could not be judged, with the id by which `Verdicts.Get` and the log know it.
    fileprivate func naming(_ requestID: [UInt8]) -> RPCError {
        RPCError(
            code, message + " (request \(Hex.encode(requestID)))", reason: reason,
            retryAfterMilliseconds: retryAfterMilliseconds, cause: cause)
    }
}

extension VerificationRequest {
    /// Checks the fields against each other.
    fileprivate func checkTogether() throws(RequestError) {
        guard purpose == .register || purpose == .assert else {
            throw RequestError("purpose", "must be REGISTER or ASSERT for this method")
        }
        guard purpose != .register || expectedDevice == nil else {
            throw RequestError("expected_device_id", "must be empty when a device is registered")
        }
        guard purpose == .register || replaces == nil else {
            throw RequestError("replaces_device_id", "must be empty unless a device is registered")
        }
        switch binding {
        case .callerOwned where !challenge.isEmpty:
            throw RequestError("challenge", "must be empty with a caller-owned binding")
        case .inEvidence where !challenge.isEmpty:
            throw RequestError("challenge", "must be empty for evidence that is a statement of its own")
        default: break
        }
    }
}
