import AssayAPI
import AssayCore

/// One verdict in the life of a virtual device, and what it had to be.
struct SessionStep {
    enum Expected {
        case accepted
        case rejected(ReasonCode)

        var name: String {
            switch self {
            case .accepted: "accepted"
            case .rejected(let code): code.rawValue
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
        }
    }

    /// Prints it, for people or as one JSON object.
    func show(json: Bool) {
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
        if !isAsExpected { Console.print("  " + Console.styled("had to be \(expected.name)", .bad)) }
    }
}
