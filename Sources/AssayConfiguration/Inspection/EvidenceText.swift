package import AssayCore
import AssaySchemes

/// Evidence as it was caught in a log, a form or a request, of which the encoding is not known: what a transport did to it is undone,
/// and told.
package struct EvidenceText: Sendable {
    package let bytes: [UInt8]
    /// A key id that stood beside the evidence, joined to it by "::".
    package let keyID: [UInt8]?
    package let slips: [TransportSlip]

    package init(_ file: [UInt8]) {
        guard let text = String(validating: file, as: UTF8.self), !file.isEmpty, !text.utf8.contains(0) else {
            self.init(EvidenceFile.bytes(of: file), nil, TransportSlip.isLossy(file) ? [.lossyText] : [])
            return
        }
        let (plain, slips) = TransportSlip.undo(text)
        if let joined = Self.split(plain) {
            self.init(joined.evidence, joined.keyID, slips + [.joinedValues])
        } else if Self.isText(plain) || slips.isEmpty && TransportSlip.decode(plain) == nil {
            // A token, PEM, or text of no encoding.
            self.init(slips.isEmpty ? EvidenceFile.bytes(of: file) : Array(plain.utf8), nil, slips)
        } else if let decoded = TransportSlip.decode(text) {
            self.init(decoded.bytes, nil, decoded.slips)
        } else {
            self.init(EvidenceFile.bytes(of: Array(plain.utf8)), nil, slips)
        }
    }

    private init(_ bytes: [UInt8], _ keyID: [UInt8]?, _ slips: [TransportSlip]) {
        (self.bytes, self.keyID) = (bytes, keyID)
        self.slips = slips + (TransportSlip.isLossy(bytes) && !slips.contains(.lossyText) ? [.lossyText] : [])
    }

    /// What was done to the evidence, as sentences.
    package var remarks: [String] {
        slips.map { slip in
            slip == .lossyText
                ? "The evidence is damaged: \(slip.sentence)."
                : "The evidence did not come as it is: \(slip.sentence). That was undone here."
        }
    }

    /// A token, or PEM: text that is the evidence itself.
    private static func isText(_ text: String) -> Bool {
        text.hasPrefix("eyJ") || text.hasPrefix("-----") || text.hasPrefix("{")
    }

    /// Two values joined by "::", of which one is a key id.
    private static func split(_ text: String) -> (evidence: [UInt8], keyID: [UInt8])? {
        let parts = text.split(separator: "::", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, let first = TransportSlip.decode(parts[0])?.bytes,
            let second = TransportSlip.decode(parts[1])?.bytes, (first.count == 32) != (second.count == 32)
        else { return nil }
        return first.count == 32 ? (second, first) : (first, second)
    }
}
