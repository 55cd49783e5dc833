import AssayAPI
package import AssayCore
package import AssayRPC
import Foundation
import SwiftProtobuf

/// `assay.v1.Attestation`: challenges and verdicts.
package struct AttestationService: Sendable {
    private let authorizer: CallAuthorizer
    private let pipeline: VerificationPipeline
    private let keys: ChallengeKeys
    private let counters: VerdictCounters
    private let clock: any WallClock
    private let requestLog: RequestLog
    private let horizon: SpentHorizon
    private let names = RequestIDGenerator()

    package init(
        authorizer: CallAuthorizer, pipeline: VerificationPipeline, keys: ChallengeKeys, counters: VerdictCounters,
        clock: any WallClock,
        requestLog: RequestLog = .closed, horizon: SpentHorizon = SpentHorizon()
    ) {
        self.authorizer = authorizer
        self.pipeline = pipeline
        self.keys = keys
        self.counters = counters
        self.clock = clock
        self.requestLog = requestLog
        self.horizon = horizon
    }

    package var methods: [RPCMethod] {
        [
            RPCMethod(path: MethodDeclaration.issueChallenge.path, handler: .batch(issueChallenges)),
            RPCMethod(path: MethodDeclaration.verify.path, handler: .batch(verify)),
        ]
    }

    // MARK: IssueChallenge

    private func issueChallenges(_ calls: [RPCCall]) async {
        for call in calls where !call.isAbandoned {
            do throws(RPCError) {
                call.reply(try issueChallenge(call))
            } catch {
                requestLog.failed(call.method, error)
                call.fail(error)
            }
        }
    }

    private func issueChallenge(_ call: RPCCall) throws(RPCError) -> Assay_V1_IssueChallengeResponse {
        let caller = try authorizer.admit(call.peer, to: .issueChallenge)
        let request = try call.decode(Assay_V1_IssueChallengeRequest.self)
        let fields: (app: AppID, purpose: Purpose, context: [UInt8])
        do throws(RequestError) {
            fields = (
                try AppID(field: request.app), try Purpose(request.purpose),
                try request.context.bounded("context", by: Challenge.contextLimit)
            )
            guard request.ttlMs <= ChallengeRule.longest else {
                throw RequestError("ttl_ms", "must be at most \(ChallengeRule.longest)")
            }
        } catch {
            throw RPCError(error)
        }
        guard caller.roles.contains(fields.purpose.role) else {
            throw authorizer.denial(of: caller, .noRole, .issueChallenge)
        }
        let profile = try authorizer.profile(of: fields.app, for: caller)
        let now = clock.now()
        guard let key = keys.issuingKey(at: now) else {
            throw RPCError(
                .unavailable, "there is no challenge key", reason: "challenge_keys_unavailable", retryAfterMilliseconds: 1000)
        }
        let timeToLive = request.ttlMs == 0 ? profile.challenges.timeToLive : Int64(request.ttlMs)
        let expiry = now.adding(milliseconds: timeToLive)
        guard expiry > horizon.time else { throw .horizonAhead(horizon.time, of: expiry) }
        let challenge = key.issue(app: fields.app, purpose: fields.purpose, context: fields.context, expiry: expiry)
        counters.challengeIssued()
        return .with {
            $0.challenge = Data(challenge)
            $0.expiresAtUnixMs = expiry.unixMilliseconds
        }
    }

    // MARK: Verify

    private func verify(_ calls: [RPCCall]) async {
        var admitted: [AuthorizedRequest] = []
        var askers: [RPCCall] = []
        for call in calls where !call.isAbandoned {
            do throws(RPCError) {
                admitted.append(try admit(call))
                askers.append(call)
            } catch {
                requestLog.failed(call.method, error)
                call.fail(error)
            }
        }
        guard admitted.contains(where: { $0.profile.asksVendor(about: $0.request) }) else {
            await judge(admitted, for: askers)
            return
        }
        // Nobody waits for the vendor that another's evidence needs.
        await withDiscardingTaskGroup { group in
            var own: [(AuthorizedRequest, RPCCall)] = []
            for (admitted, call) in zip(admitted, askers) {
                if admitted.profile.asksVendor(about: admitted.request) {
                    group.addTask { await judge([admitted], for: [call]) }
                } else {
                    own.append((admitted, call))
                }
            }
            await judge(own.map(\.0), for: own.map(\.1))
        }
    }

    private func judge(_ admitted: [AuthorizedRequest], for askers: [RPCCall]) async {
        let answers = await pipeline.judge(admitted)
        counters.count(answers)
        requestLog.answered(admitted, answers)
        RPCCall.answer(
            zip(askers, answers).compactMap { call, answer in
                switch answer {
                case .verdict(let verdict): (call, .success(verdict.serialized()))
                case .repeated(let stored): (call, .success(stored))
                case .failed(let error): (call, .failure(RPCError(error)))
                case .abandoned: nil
                }
            })
    }

    private func admit(_ call: RPCCall) throws(RPCError) -> AuthorizedRequest {
        let caller = try authorizer.admit(call.peer, to: .verify)
        let read: VerificationRequest?
        do throws(RequestError) {
            read = try VerificationRequest(serialized: call.message)
            try read?.checkTogether()
        } catch {
            throw RPCError(error)
        }
        guard let request = read else { throw .undecodableMessage }
        return AuthorizedRequest(
            request: request, profile: try authorizer.profile(of: request.app, for: caller), caller: caller, now: clock.now(),
            requestID: names.next(), isAbandoned: { call.isAbandoned })
    }
}

extension Purpose {
    /// The role that may ask for challenges of this purpose.
    fileprivate var role: Role {
        switch self {
        case .register, .assert: .verify
        case .provision, .renew: .provision
        }
    }
}

extension VerificationRequest {
    /// What no single field can tell.
    fileprivate func checkTogether() throws(RequestError) {
        guard purpose == .register || purpose == .assert else {
            throw RequestError("purpose", "must be REGISTER or ASSERT for this method")
        }
        guard purpose != .register || expectedDevice == nil else {
            throw RequestError("expected_device_id", "must be empty when a device is registered")
        }
        if case .callerOwned = binding, !challenge.isEmpty {
            throw RequestError("challenge", "must be empty with a caller-owned binding")
        }
    }
}
