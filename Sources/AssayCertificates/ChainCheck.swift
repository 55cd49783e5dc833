/// Describes for people what the checks compare that every chain has. The names are those of the findings.
package enum ChainCheck {
    package static func meaning(of check: String) -> String? { meanings[check] }

    /// Without `chain_algorithms`: each platform has algorithms of its own.
    private static let meanings: [String: String] = [  // not text from outside
        "certificates": "each certificate against strict DER and RFC 5280",
        "chain_names": "each issuer against the subject of the next certificate",
        "chain_constraints": "CA flags, path lengths, key usage and critical extensions against RFC 5280",
        "chain_anchor": "the top's issuer, or the registration's anchor, against the trusted anchors",
        "chain_validity": "the time of judgement against each certificate's validity",
        "chain_signatures": "each signature against the issuer's key, up to the anchor's",
    ]
}
