package import AssayCore
import AssayEncoding

/// Explains tokens to a person. It uses the verifier's readers, so that it fails on the same input.
package enum PlayIntegrityExplanation {
    /// - Parameter keys: the app's keys. Without one that decrypts the token, only the envelope is explained.
    package static func token(_ bytes: ArraySlice<UInt8>, keys: [PlayKeySet]) -> Explanation {
        var explanation = Explanation("Play Integrity token", of: bytes)
        explanation.read { (explanation) throws(Rejection) in
            let sealed = try CompactJWE(parsing: bytes)
            explanation.add("alg", .text(sealed.header.algorithm.text), "must be A256KW")
            explanation.add("enc", sealed.header.encryption.map { .text($0.text) }, "must be A256GCM")
            explanation.add("encrypted_key_length", .integer(Int64(sealed.encryptedKey.count)), "must be 40")
            explanation.add("iv_length", .integer(Int64(sealed.initializationVector.count)), "must be 12")
            explanation.add("ciphertext_length", .integer(Int64(sealed.ciphertext.count)))
            explanation.add("tag_length", .integer(Int64(sealed.authenticationTag.count)), "must be 16")
            try PlayIntegrityVerifier.requireAlgorithms(of: sealed)
            guard let (keySet, plaintext) = open(sealed, keys) else {
                let why = keys.isEmpty ? "its keys are the app's" : "no key of the app opens it"
                explanation.add("content", .text("sealed"), "\(why): what stands in it cannot be told")
                return
            }
            explanation.add(signedToken(plaintext, keySet, of: bytes))
        }
        return explanation
    }

    /// The answer of Google's service to a request to decode a token.
    package static func answer(_ bytes: ArraySlice<UInt8>) -> Explanation {
        var explanation = Explanation("Google's answer about a Play Integrity token", of: bytes)
        explanation.read { (explanation) throws(Rejection) in
            add(try PlayIntegrityVerifier.payload(answer: Array(bytes)), to: &explanation)
        }
        return explanation
    }

    private static func open(_ token: CompactJWE, _ keys: [PlayKeySet]) -> (PlayKeySet, [UInt8])? {
        for keySet in keys {
            if let plaintext = keySet.open(token) { return (keySet, plaintext) }
        }
        return nil
    }

    private static func signedToken(
        _ plaintext: [UInt8], _ keySet: PlayKeySet, of token: ArraySlice<UInt8>
    ) -> Explanation {
        // The decrypted payload has no place in the file: its place is the whole token.
        var explanation = Explanation("the signed token inside", of: token)
        explanation.read { (explanation) throws(Rejection) in
            let signed = try CompactJWS(parsing: plaintext[...])
            explanation.add("alg", .text(signed.header.algorithm.text), "must be ES256")
            explanation.add("signature", signed.signature, keySet.verifies(signed) ? "is Google's" : "is not Google's")
            let payload: PlayPayload
            do throws(Rejection) {
                payload = try PlayPayload(JSONFields(parsing: signed.payload[...], code: .malformedToken))
            } catch {
                // An error in it has no place in the file either.
                throw Rejection(error.code, error.detail)
            }
            add(payload, to: &explanation)
        }
        return explanation
    }

    private static func add(_ payload: PlayPayload, to explanation: inout Explanation) {
        for claim in payload.claims.all { explanation.add(claim.name, claim.value, meaning(of: claim)) }
        if payload.isCleared {
            explanation.add("verdicts", .text("cleared"), "the device is not trusted, or the token was decoded before")
        }
    }

    private static func meaning(of claim: Claims.Claim) -> String {
        guard claim.name.hasBytes(of: "timestamp_millis"), case .integer(let time) = claim.value else {
            return meanings[claim.name] ?? ""
        }
        return "by Google's clock \(Timestamp(unixMilliseconds: time))"
    }

    private static let meanings = [
        "request_package_name": "the package that asked, by its own account",
        "nonce": "of a classic request: base64url of the client data",
        "request_hash": "of a standard request: base64url of SHA-256 of the client data",
        "app_recognition_verdict": "PLAY_RECOGNIZED: package, certificate and version are those of Google Play",
        "certificate_sha256_digest": "base64url of SHA-256 of the certificates that sign the package",
        "device_recognition_verdict": "what the device meets; none for one that meets nothing",
        "legacy_device_recognition_verdict": "by the rules before May 2025; decides nothing",
        "sdk_version": "API level; from 33 on the labels mean more",
        "app_licensing_verdict": "whether the user has the app from Google Play",
        "is_testing_response": "a tester chose what the token says",
    ]
}

/// Describes for people what each check of a token compares. The names are those of the findings.
package enum PlayIntegrityCheck {
    package static func meaning(of check: String) -> String? { meanings[check] }

    private static let meanings: [String: String] = [  // not text from outside
        "size": "the token against the longest that is read",
        "vendor": "what Google's service makes of the token",
        "token": "the bytes against five parts of base64url",
        "algorithm": "what the header names against A256KW and A256GCM",
        "decryption": "the token against the app's decryption keys",
        "signed_token": "what was sealed against three parts of base64url",
        "signed_algorithm": "what the inner header names against ES256",
        "signature": "the signature against the verification key that goes with the decryption key",
        "payload": "what is signed against strict JSON and the fields that must be there",
        "testing": "the token against responses that a tester chose",
        "request_package": "the package that asked against the app's",
        "request_binding": "nonce or request hash against the client data",
        "timestamp": "Google's time against the time of judgement",
        "app_verdict": "what Google Play says of the app against what the policy allows",
        "package": "the package that Google Play saw against the app's",
        "signer": "the certificates that sign the package against the app's",
        "app_version": "the version code against the lowest that is allowed",
        "device_verdict": "the device's labels against those of the policy",
        "sdk_version": "the system's API level against the lowest that is allowed",
        "licensing": "whether the user has the app from Google Play",
        "play_protect": "what Play Protect found on the device",
        "app_access_risk": "apps that capture, overlay or control",
        "device_activity": "how many tokens the device asked for lately",
        "device_recall": "marks that the developer set on the device",
        "account_activity": "how usual the account's activity is",
        "attested_app": "package and signers against those of the attested key",
    ]
}
