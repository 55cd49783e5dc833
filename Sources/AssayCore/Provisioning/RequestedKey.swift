/// The key that a certificate is asked for.
package struct RequestedKey: Hashable, Sendable {
    /// How a request departs from RFC 2986 in a part that nothing rests on.
    package enum Quirk: String, CaseIterable, Hashable, Sendable {
        case withoutAttributes = "csr_without_attributes"
        case attributesNotSorted = "csr_attributes_not_sorted"
        case ecdsaWithNull = "csr_ecdsa_with_null"

        package var sentence: String {
            switch self {
            case .withoutAttributes: "the request has no attributes field, which RFC 2986 wants even if it is empty"
            case .attributesNotSorted: "the request's attributes are not in the order of DER"
            case .ecdsaWithNull: "the request's ECDSA algorithm has NULL parameters, where RFC 5758 wants none"
            }
        }
    }

    package enum Curve: Hashable, Sendable {
        case p256
        case p384
    }

    /// SubjectPublicKeyInfo (DER).
    package let publicKey: [UInt8]
    package let curve: Curve
    package let quirks: [Quirk]

    package init(publicKey: [UInt8], curve: Curve, quirks: [Quirk] = []) {
        (self.publicKey, self.curve, self.quirks) = (publicKey, curve, quirks)
    }
}
