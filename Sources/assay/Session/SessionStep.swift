import ArgumentParser
import AssayAPI
import AssayClient
import AssayCore

/// One verdict in the session of a virtual device, and the expected one.
struct SessionStep {
    enum Expected {
        case accepted
        case rejected(ReasonCode)
        /// Accepted, or rejected for a reason that the app's configuration may cause.
        case acceptedUnless(ReasonCode)

        var name: String {
            switch self {
            case .accepted: "accepted"
            case .rejected(let code): code.rawValue
            case .acceptedUnless(let code): "accepted or \(code.rawValue)"
            }
        }
    }

    let title: String
    let expected: Expected
    let verdict: Assay_V1_Verdict

    var isAsExpected: Bool {
        switch expected {
        case .accepted: verdict.decision == .accepted
        case .rejected(let code): verdict.decision == .rejected && verdict.reason == code.rawValue
        case .acceptedUnless(let code): verdict.decision == .accepted || verdict.reason == code.rawValue
        }
    }

    /// Of a registration. A key is registered once: a device that had a session before is known.
    static let registration = Expected.acceptedUnless(.keyAlreadyRegistered)

    /// What an attacker gets who sends this registration again.
    var replay: Expected { .rejected(verdict.decision == .accepted ? .challengeReused : .keyAlreadyRegistered) }

    /// Prints it, for people or as one JSON object.
    fileprivate func show(json: Bool) {
        let text = VerdictText(verdict: verdict)
        if json {
            Console.print(
                json: ["step": title, "expected": expected.name, "as_expected": isAsExpected, "verdict": text.json],
                pretty: false)
            return
        }
        Console.print(Console.styled(title, .bold))
        Console.print("  " + text.headline)
        if let id = DeviceID(bytes: Array(verdict.deviceID)) { Console.print("  \(id)") }
        if !verdict.detail.isEmpty { Console.print("  " + Console.styled(verdict.detail, .faint)) }
        if !isAsExpected { Console.print("  " + Console.styled("expected: \(expected.name)", .bad)) }
    }
}

extension [SessionStep] {
    /// Prints each step, and for people how many verdicts are as expected. Exit status 1 if one is not.
    func show(json: Bool) throws {
        for step in self { step.show(json: json) }
        let failed = count { !$0.isAsExpected }
        if !json { Console.print("\(count - failed) of \(count) verdicts are as they have to be") }
        guard failed == 0 else { throw ExitCode(1) }
    }
}

/// A challenge of a session, with its context.
struct SessionChallenge {
    let purpose: Purpose
    let bytes: [UInt8]
    let context: [UInt8]

    init(_ purpose: Purpose, app: AppID, from client: AssayClient, timeout: Duration) async throws(AssayError) {
        self.purpose = purpose
        context = SecureRandom.bytes(16)
        bytes = try await client.issueChallenge(app: app, purpose: purpose, context: context, timeout: timeout).bytes
    }

    /// The client data that a device signs.
    func clientData(_ payload: [UInt8]?) throws(AssayError) -> ClientData {
        let data =
            payload.map { ClientData(purpose: purpose, challenge: bytes, payload: $0) }
            ?? ClientData(purpose: purpose, challenge: bytes)
        guard let data else { throw AssayError(.internalError, "the daemon's challenge has a wrong length") }
        return data
    }

    /// The request with one piece of evidence over it.
    func request(app: AppID, _ evidence: Evidence, payload: [UInt8]? = nil) -> VerificationRequest {
        VerificationRequest(
            app: app, purpose: purpose, challenge: bytes, context: context, evidence: [evidence],
            binding: .clientData(payloadHash: payload.map(ClientData.payloadHash)))
    }
}
