import AssayCore

/// Which token of a module.
package enum TokenSelector: Hashable, Sendable, CustomStringConvertible {
    /// CK_TOKEN_INFO.label, at most 32 bytes, without the padding.
    case label(String)
    /// CK_TOKEN_INFO.serialNumber, at most 16 bytes, without the padding.
    case serial(String)
    /// The slot's number, which some modules change from start to start.
    case slot(UInt)

    package var description: String {
        switch self {
        case .label(let label): "the token with the label \"\(label)\""
        case .serial(let serial): "the token with the serial number \(serial)"
        case .slot(let slot): "the token in slot \(slot)"
        }
    }
}

/// Which key of a token: each part that is given must match. Without parts: the only key.
package struct KeySelector: Hashable, Sendable, CustomStringConvertible {
    /// CKA_LABEL.
    package let label: String?
    /// CKA_ID.
    package let id: [UInt8]?

    package init(label: String? = nil, id: [UInt8]? = nil) { (self.label, self.id) = (label, id) }

    package var description: String {
        let parts = [label.map { "the label \"\($0)\"" }, id.map { "the id \(Hex.encode($0))" }].compactMap { $0 }
        return parts.isEmpty ? "private key" : "private key with " + parts.joined(separator: " and ")
    }
}

/// How a token is reached.
package struct TokenSettings: Hashable, Sendable {
    /// The absolute path of the PKCS#11 module.
    package var module: String
    package var token: TokenSelector
    /// The file with the PIN, mode 0600; one newline at its end is dropped. `nil`: the token wants no login.
    package var pinFile: String?
    /// How long a request may take, waiting included, in milliseconds.
    package var deadline: Int64 = 10_000
    /// How many requests may wait.
    package var queueLimit = 256
    /// An idle token is asked so often whether it is still there, in milliseconds.
    package var checkInterval: Int64 = 15_000
    /// A token that is gone is looked for after this time, then after twice that, up to `longestRetry`; in milliseconds.
    package var firstRetry: Int64 = 250
    package var longestRetry: Int64 = 10_000

    package init(module: String, token: TokenSelector, pinFile: String?) {
        (self.module, self.token, self.pinFile) = (module, token, pinFile)
    }
}
