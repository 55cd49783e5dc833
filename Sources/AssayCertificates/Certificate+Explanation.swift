package import AssayCore
package import AssayEncoding

/// The name of a platform's own extension, and the explanation of its value.
package struct KnownExtension: Sendable {
    package let name: String
    package let meaning: @Sendable (ArraySlice<UInt8>) -> String
    package init(_ name: String, meaning: @escaping @Sendable (ArraySlice<UInt8>) -> String) {
        (self.name, self.meaning) = (name, meaning)
    }
}

/// Explains certificates to a person.
extension Certificate {
    /// - Parameter known: the platform's own extensions.
    package static func explain(
        _ der: ArraySlice<UInt8>, title: String = "X.509 certificate",
        known: [OID: KnownExtension] = [:], leniencies: CertificateLeniencies = .generalizedTimeBefore2050
    ) -> Explanation {
        var explanation = Explanation(title, of: der)
        explanation.read { (explanation) throws(Rejection) in
            let certificate = try Certificate(der: der, leniencies: leniencies)
            explanation.add("subject", .text("\(certificate.subject)"))
            explanation.add("issuer", .text("\(certificate.issuer)"), certificate.isSelfIssued ? "itself" : "")
            explanation.add("serial", .text(Hex.encode(certificate.serial)), "as an unsigned integer")
            explanation.add("not_before", .time(certificate.validity.notBefore))
            explanation.add("not_after", .time(certificate.validity.notAfter))
            explanation.add("public_key", .text("\(certificate.publicKey.algorithm)"))
            explanation.add(
                "spki_sha256", .text(Hex.encode(certificate.publicKey.sha256)), "names the key, whoever certifies it")
            explanation.add("signed_with", .text("\(certificate.signatureAlgorithm)"), "the hash; the curve is the issuer's")
            explanation.add("sha256", .text(Hex.encode(certificate.digest)), "of the whole certificate")
            for name in certificate.usedLeniencies.names {
                explanation.add(name, .text("yes"), "breaks the standard, as some genuine devices do")
            }
            for part in certificate.extensions {
                let name = known[part.oid]?.name ?? commonNames[part.oid] ?? "extension \(part.oid)"
                let said = known[part.oid].map { $0.meaning(part.value) } ?? Self.meaning(of: part)
                explanation.add(name, .text(said ?? "\(part.value.count) bytes"), part.isCritical ? "critical" : "")
            }
        }
        return explanation
    }

    private static let commonNames: [OID: String] = [
        .basicConstraints: "basic_constraints", .keyUsage: "key_usage", OID(2, 5, 29, 14): "subject_key_id",
        OID(2, 5, 29, 35): "authority_key_id", OID(2, 5, 29, 17): "subject_alt_name", OID(2, 5, 29, 31): "crl_points",
        OID(2, 5, 29, 32): "policies", OID(2, 5, 29, 37): "extended_key_usage",
        OID(1, 3, 6, 1, 5, 5, 7, 1, 1): "authority_info_access",
    ]

    /// The meaning of an extension of the standard. Whether one that breaks it matters is for the checks: of some evidence they
    /// read no such extension, so that genuine devices may write it wrongly.
    private static func meaning(of part: CertificateExtension) -> String? {
        do throws(Rejection) {
            switch part.oid {
            case .basicConstraints:
                let constraints = try BasicConstraints(part.value)
                guard constraints.isCA else { return "no CA" }
                return constraints.pathLength.map { "a CA, with at most \($0) below it" } ?? "a CA"
            case .keyUsage: return text(of: try KeyUsage(part.value))
            default: return nil
            }
        } catch {
            guard part.oid == .keyUsage, let usage = try? KeyUsage(part.value, allowsTrailingZeros: true) else {
                return "not of the standard's form: \(error.detail)"
            }
            return text(of: usage) + "; with trailing zero bits, which DER does not allow"
        }
    }

    private static func text(of usage: KeyUsage) -> String {
        usage.names.isEmpty ? "no use" : usage.names.joined(separator: ", ")
    }
}
