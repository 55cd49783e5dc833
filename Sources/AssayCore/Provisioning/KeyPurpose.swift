/// A purpose of extendedKeyUsage (RFC 5280 §4.2.1.12): an OBJECT IDENTIFIER, with the name that it has in configurations.
package struct KeyPurpose: Hashable, Sendable, CustomStringConvertible {
    /// In dotted decimal.
    package let identifier: String

    private init(known identifier: String) { self.identifier = identifier }

    /// Shown to TLS servers.
    package static let clientAuthentication = KeyPurpose(known: "1.3.6.1.5.5.7.3.2")

    /// The names that configurations may use.
    private static let names = [
        "clientAuth": clientAuthentication.identifier, "emailProtection": "1.3.6.1.5.5.7.3.4",
        // RFC 9336.
        "documentSigning": "1.3.6.1.5.5.7.3.36",
    ]

    package static var knownNames: [String] { names.keys.sorted() }

    /// What would make a device more than a device: it could stand for everything, or answer for its CA whether certificates are revoked.
    private static let refused = ["2.5.29.37.0": "anyExtendedKeyUsage", "1.3.6.1.5.5.7.3.9": "OCSPSigning"]

    /// From a name, or from dotted decimal.
    package init(_ text: String) throws(KeyPurposeError) {
        if let known = Self.names[text] {
            self.init(known: known)
        } else if let arc = ExtensionArc(text) {
            if let name = Self.refused["\(arc)"] { throw KeyPurposeError.refused(name) }
            self.init(known: "\(arc)")
        } else if Self.refused.values.contains(text) {
            throw .refused(text)
        } else {
            throw .unknown
        }
    }

    /// The name, or the number of one without.
    package var description: String { Self.names.first { $0.value == identifier }?.key ?? identifier }
}

package enum KeyPurposeError: Error, Hashable, Sendable {
    case unknown
    /// No device's certificate has it.
    case refused(String)
}
