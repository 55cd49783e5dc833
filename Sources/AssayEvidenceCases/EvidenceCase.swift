package import AssayCore

/// Evidence of a virtual device that a daemon accepts, or rejects for one reason: what the tests of a caller ask for by name.
///
/// The outcome is that of a daemon with ``CasePolicy``. It comes if the caller sends what it got from the device unchanged, for the purpose and
/// under the context that the case was made for.
package struct EvidenceCase: Sendable {
    /// `accepted`, a reason code, or a word for an attack whose code depends on the platform, such as `replayed`.
    package let name: String
    /// What the case shows, as a part of a sentence.
    package let summary: String
    /// The purposes that it can be made for; the first is made unless the test names one.
    package let purposes: [Purpose]
    /// The devices that it can be made with; that of the first is taken unless the test names one.
    package let platforms: [CasePlatform]
    /// What the caller's request must have for the outcome, beside the evidence.
    package let needs: Set<Need>
    let make: Maker

    /// A member of the request that only some callers send.
    package enum Need: String, CaseIterable, Hashable, Sendable {
        /// The account that the request names. The test gives the same.
        case subject
        /// The key of a repetition. The test gives the same.
        case idempotencyKey = "idempotency_key"
        /// The device that the request expects: the test gives the id of the account's own device, which is another one.
        case expectedDevice = "expected_device_id"
        /// The whole request as the case makes it: no caller that is written well sends it.
        case wholeRequest = "whole_request"
    }

    /// What is made: a request with the evidence, and why it is rejected (`nil`: it is accepted).
    struct Made {
        var request: VerificationRequest
        var expected: ReasonCode?
    }

    typealias Maker = @Sendable (CaseRun) async throws -> Made

    init(
        _ name: String, _ summary: String, for purposes: [Purpose], with platforms: [CasePlatform] = CasePlatform.usual,
        needs: Set<Need> = [], make: @escaping Maker
    ) {
        (self.name, self.summary, self.purposes, self.platforms) = (name, summary, purposes, platforms)
        (self.needs, self.make) = (needs, make)
    }

    /// A case whose name is the reason.
    init(
        _ code: ReasonCode, _ summary: String, for purposes: [Purpose], with platforms: [CasePlatform] = CasePlatform.usual,
        needs: Set<Need> = [], make: @escaping @Sendable (CaseRun) async throws -> VerificationRequest
    ) {
        self.init(code.rawValue, summary, for: purposes, with: platforms, needs: needs) { run in
            Made(request: try await make(run), expected: code)
        }
    }
}

/// A kind of virtual device.
package enum CasePlatform: String, CaseIterable, Hashable, Sendable {
    case iPhone = "iphone"
    case android
    case mac

    /// Those of which devices stand ready.
    static let usual: [CasePlatform] = [.iPhone, .android]
}

/// Why a case cannot be made: the test asks for what there is not.
package struct CaseError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A stable word for machines.
    package enum Code: String, Sendable {
        case unknownCase = "unknown_case"
        case notMade = "case_not_made"
        case wrongPurpose = "wrong_purpose"
        case wrongDevice = "wrong_device"
        case needsMember = "needs_member"
        case malformedRequest = "malformed_request"
        /// The daemon does not answer.
        case daemon = "daemon_unavailable"
        /// The daemon did not do what the case needed beforehand.
        case preparation = "preparation_failed"
    }

    package let code: Code
    package let description: String

    package init(_ code: Code, _ description: String) { (self.code, self.description) = (code, description) }
}
