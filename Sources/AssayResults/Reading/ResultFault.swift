import AssayCore

/// Why a token is not what was expected. `code` and `place` are for programs, the sentence for people.
package struct ResultFault: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Code: String, CaseIterable, Hashable, Sendable {
        /// Not a token of this form, or a claim of another type.
        case malformed
        case tooLarge = "too_large"
        /// Another shape, by `typ` or by what the header and the claims have to have.
        case wrongType = "wrong_type"
        /// Not the algorithm of the key.
        case wrongAlgorithm = "wrong_algorithm"
        /// A header that is not understood, `crit` among others.
        case unknownHeader = "unknown_header"
        /// The key is not in the key set, nor certified by one that is.
        case unknownKey = "unknown_key"
        /// The certificate in the header is of a key of the key set, and not one for a key that signs results.
        case wrongCertificate = "wrong_certificate"
        case badSignature = "bad_signature"
        case wrongIssuer = "wrong_issuer"
        case wrongAudience = "wrong_audience"
        case wrongNonce = "wrong_nonce"
        case expired
        /// Issued in the future.
        case notYetValid = "not_yet_valid"
        /// A claim that the shape has to have is missing, or has a value that the shape does not allow.
        case wrongClaim = "wrong_claim"
        /// Of a simulated device where one of a real device is expected, or the reverse.
        case wrongKindOfDevice = "wrong_kind_of_device"
    }

    package let code: Code
    /// The part of the token: `token`, `header.alg`, `signature`, or a claim with the names of what it is in: `submods.device.ear_status`.
    package let place: String
    /// One sentence, visible characters alone.
    package let detail: String

    package init(_ code: Code, _ place: String, _ detail: String) {
        (self.code, self.place, self.detail) = (code, place.visible, detail.visible)
    }

    package var description: String { "\(code.rawValue): \(place): \(detail)" }
}
