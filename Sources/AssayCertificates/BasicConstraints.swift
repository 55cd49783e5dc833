package import AssayCore
import AssayEncoding

/// `SEQUENCE { cA BOOLEAN DEFAULT FALSE, pathLenConstraint INTEGER OPTIONAL }` (RFC 5280 §4.2.1.9).
package struct BasicConstraints: Hashable, Sendable {
    package let isCA: Bool
    /// The most CA certificates allowed below this one, not counting self-issued ones.
    package let pathLength: Int?

    package init(_ value: ArraySlice<UInt8>) throws(Rejection) {
        (isCA, pathLength) = try DERReader.parse(value, code: .malformedCertificate) { outer throws(Rejection) in
            try outer.sequence { fields throws(Rejection) in
                let isCA = try fields.booleanDefaultFalse()
                return (isCA, fields.isAtEnd ? nil : try fields.smallInteger())
            }
        }
    }
}
