import AssayAPI
package import AssayCore
import AssayMetrics
import AssayResults
import AssayTracing
import Logging
import SwiftProtobuf

/// Signs the results that callers ask for beside accepted verdicts: after the commit, so that what is signed is durable, and before the answer.
///
/// It stands behind those that count, log and record verdicts: what they tell depends on no signature and waits for none. A verdict is answered
/// with or without its signatures. Calls that were abandoned get none.
package struct ResultSigning: AnswerFollower {
    private let signer: ResultSigner
    private let devices: any DeviceFacts
    private let requestLog: RequestLog

    /// - Parameter devices: asked about the devices of repeated verdicts alone.
    package init(signer: ResultSigner, devices: any DeviceFacts, requestLog: RequestLog) {
        (self.signer, self.devices, self.requestLog) = (signer, devices, requestLog)
    }

    package func follow(_ outcome: ProvisioningOutcome) {}

    package func follow(_ group: inout AnsweredRequests) async {
        let asked = group.requests.indices.filter { !group.requests[$0].request.results.isEmpty }
        guard !asked.isEmpty else { return }
        let (requests, answers, traceNames) = (group.requests, group.answers, group.traceNames)
        // What only computes is signed here, one after the other: a task for each would cost more than what surrounds its signature.
        let isAtOnce = signer.signsAtOnce
        var (waiting, rest): ([Int], [Int]) = ([], [])
        for index in asked {
            let waits = !isAtOnce || asksTheLedger(requests[index], answers[index])
            if waits, asked.count > 1 { waiting.append(index) } else { rest.append(index) }
        }
        if !waiting.isEmpty {
            await withTaskGroup(of: (index: Int, answer: Answer).self) { tasks in
                for index in waiting {
                    tasks.addTask { (index, await sign(requests[index], answers[index]) { traceNames(index) }) }
                }
                for await signed in tasks { group.answers[signed.index] = signed.answer }
            }
        }
        for index in rest { group.answers[index] = await sign(requests[index], answers[index]) { traceNames(index) } }
    }

    /// Whether signing waits for the ledger: for the device of a verdict that was given before, or for places in status lists.
    private func asksTheLedger(_ request: AuthorizedRequest, _ answer: Answer) -> Bool {
        if case .repeated = answer { true } else { signer.asksForPlaces(request) }
    }

    /// The answer with the results; the answer as it is where nothing is signed.
    private func sign(
        _ request: AuthorizedRequest, _ answer: Answer, _ traceNames: @Sendable () -> Logger.Metadata
    ) async -> Answer {
        guard let composer = request.profile.results, request.step == nil, !request.isAbandoned() else { return answer }
        let begun = MonotonicTime.nanoseconds()
        let results: [SignedResult]
        let signed: Answer
        switch answer {
        case .verdict(let verdict):
            let message = verdict.serialized()
            guard let facts = ResultFacts(verdict, message, of: request) else { return answer }
            results = await signer.sign(facts, for: request.request.results, by: composer)
            signed = .completed(verdict, message: results.added(to: message))
        case .completed(let verdict, let message):
            guard let facts = ResultFacts(verdict, verdict.serialized(), of: request) else { return answer }
            results = await signer.sign(facts, for: request.request.results, by: composer)
            signed = .completed(verdict, message: results.added(to: message))
        case .reported(let reported):
            results = signer.refuse(request.request.results, .notEnforced)
            signed = .reported(
                ReportedVerdict(
                    reported.verdict, traits: reported.traits, message: results.added(to: reported.message)))
        case .repeated(let message):
            results = await sign(repeating: message, to: request, by: composer)
            signed = .repeated(message: results.added(to: message))
        case .failed, .abandoned: return answer
        }
        request.trace?.note(results, since: begun)
        requestLog.signed(results) { request.names.merging(traceNames(), uniquingKeysWith: { own, _ in own }) }
        return signed
    }

    /// The results of a verdict that was given before. Whether its device may still have some is asked of the registry: a block may have come
    /// after the verdict.
    private func sign(
        repeating message: [UInt8], to request: AuthorizedRequest, by composer: ResultComposer
    ) async -> [SignedResult] {
        let requests = request.request.results
        guard let verdict = try? Assay_V1_Verdict(serializedBytes: message), verdict.decision == .accepted else { return [] }
        guard !verdict.hasWouldReject else { return signer.refuse(requests, .notEnforced) }
        var device: Device?
        if let id = DeviceID(bytes: Array(verdict.deviceID)) {
            do { device = try await devices.device(id) } catch { return signer.refuse(requests, .unavailable) }
            guard let device, !device.isBlocked else { return signer.refuse(requests, .deviceBlocked) }
        }
        let facts = ResultFacts(repeating: verdict, message, of: device, to: request)
        return await signer.sign(facts, for: requests, by: composer)
    }
}

extension CallTrace {
    /// The signing as a span below the call's, with what came of each result.
    fileprivate func note(_ results: [SignedResult], since begun: UInt64) {
        let outcomes = results.map { result in
            switch result.outcome {
            case .signed: "\(result.shape.rawValue)"
            case .refused(let problem): "\(result.shape.rawValue): \(problem.rawValue)"
            }
        }
        add(
            "sign", from: begun, to: MonotonicTime.nanoseconds(), .unset,
            [SpanAttribute("assay.results", outcomes.joined(separator: ", "))])
    }
}
