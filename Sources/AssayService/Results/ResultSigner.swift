package import AssayCore
import AssayMetrics
package import AssayResults
import AssaySigning

/// Signs results by the keys that may sign now, and says why one is not signed. It never throws: what the results are about holds without them.
package struct ResultSigner: Sendable {
    private let keys: ResultKeyRing
    private let places: (any ResultStatusPlaces)?
    private let sessions: SessionTokenCounts
    private let counters: ResultCounters
    private let clock: any WallClock

    /// - Parameter places: `nil`: no result names a place in a status list.
    package init(
        keys: ResultKeyRing, places: (any ResultStatusPlaces)?, sessions: SessionTokenCounts = SessionTokenCounts(),
        counters: ResultCounters, clock: any WallClock
    ) {
        (self.keys, self.places, self.sessions) = (keys, places, sessions)
        (self.counters, self.clock) = (counters, clock)
    }

    /// Whether no key that signs now waits for a token.
    var signsAtOnce: Bool {
        let now = clock.now()
        return ResultPublicKey.Issuer.allCases.allSatisfy { (try? keys.resultSigner($0, at: now))?.signer.waits != true }
    }

    /// Whether the results of a request name places in a status list, for which the ledger may be asked.
    func asksForPlaces(_ request: AuthorizedRequest) -> Bool {
        guard places != nil, let rule = request.profile.results?.rule else { return false }
        return request.request.results.contains { rule.givesStatus(to: $0.shape) }
    }

    /// One result for each request, in order.
    func sign(_ facts: ResultFacts, for requests: [ResultRequest], by composer: ResultComposer) async -> [SignedResult] {
        await each(requests) { request throws(ResultProblem) in try await sign(facts, for: request, by: composer) }
    }

    /// The same of the answer to a look-up.
    ///
    /// - Parameter requests: of plain shapes; another one is refused as `result_not_allowed`.
    func sign(_ facts: LookupFacts, for requests: [ResultRequest], by composer: ResultComposer) async -> [SignedResult] {
        await each(requests) { request throws(ResultProblem) in
            let now = clock.now()
            let key = try keys.resultSigner(facts.simulated ? .simulatedDevices : .devices, at: now)
            let draft = try composer.draft(request, facts, under: key, at: now)
            do throws(SigningError) { return try await draft.signed() } catch { throw .unavailable }
        }
    }

    /// Signs for each request, and counts what came of it.
    private func each(
        _ requests: [ResultRequest], _ sign: (ResultRequest) async throws(ResultProblem) -> SignedResult
    ) async -> [SignedResult] {
        var results: [SignedResult] = []
        results.reserveCapacity(requests.count)
        for request in requests {
            let begun = MonotonicTime.nanoseconds()
            let result: SignedResult
            do throws(ResultProblem) {
                result = try await sign(request)
            } catch {
                result = SignedResult(request, refused: error)
            }
            counters.count(result, took: MonotonicTime.nanoseconds() &- begun)
            results.append(result)
        }
        return results
    }

    /// The same problem for each request.
    func refuse(_ requests: [ResultRequest], _ problem: ResultProblem) -> [SignedResult] {
        requests.map { request in
            let result = SignedResult(request, refused: problem)
            counters.count(result, took: 0)
            return result
        }
    }

    private func sign(
        _ facts: ResultFacts, for request: ResultRequest, by composer: ResultComposer
    ) async throws(ResultProblem) -> SignedResult {
        let now = clock.now()
        let key = try keys.resultSigner(facts.simulated ? .simulatedDevices : .devices, at: now)
        // Nothing is counted, and no place is asked for, of a result that is refused. Others are refused by their draft.
        if request.shape == .session || composer.rule.givesStatus(to: request.shape) {
            try composer.check(request, facts, under: key, at: now)
        }
        let end = composer.expiry(of: request.shape, decidedAt: facts.decidedAt)
        let counted = try countSession(request, facts, composer.rule.session, until: end, at: now)
        do throws(ResultProblem) {
            let status = try await status(facts, for: request, by: composer, under: key)
            let draft = try composer.draft(request, facts, under: key, status: status, at: now)
            do throws(SigningError) { return try await draft.signed() } catch { throw .unavailable }
        } catch {
            if let counted { sessions.giveBack(counted, until: end) }
            throw error
        }
    }

    /// Counts a session token for the device that it is of; `nil`: it is none, or the app does not limit them.
    private func countSession(
        _ request: ResultRequest, _ facts: ResultFacts, _ rule: ResultRule.Session, until end: Timestamp, at now: Timestamp
    ) throws(ResultProblem) -> DeviceID? {
        guard request.shape == .session, let limit = rule.perDevice, let device = facts.device else { return nil }
        guard sessions.take(device, until: end, atMost: limit, at: now) else { throw .tooMany }
        return device
    }

    /// The place that the result names; `nil` for one that has none.
    private func status(
        _ facts: ResultFacts, for request: ResultRequest, by composer: ResultComposer, under key: ResultKey
    ) async throws(ResultProblem) -> ResultStatusReference? {
        guard let places, let device = facts.device, composer.rule.givesStatus(to: request.shape) else { return nil }
        do throws(LedgerError) {
            return try await places.statusReference(
                of: device, for: request.audience, from: key.issuer,
                until: composer.statusEnd(of: request.shape, decidedAt: facts.decidedAt))
        } catch {
            throw .unavailable
        }
    }
}

extension ResultRule {
    /// Whether results of the shape name a place in a status list.
    fileprivate func givesStatus(to shape: ResultShape) -> Bool {
        switch shape {
        case .earJWT, .earCWT: status
        case .session, .clientAttestation, .walletInstance, .keyAttestation, .plainJWS, .plainCOSE: shape.takesStatus
        }
    }
}

extension SignedResult {
    fileprivate init(_ request: ResultRequest, refused problem: ResultProblem) {
        self.init(shape: request.shape, audience: request.audience, outcome: .refused(problem))
    }
}
