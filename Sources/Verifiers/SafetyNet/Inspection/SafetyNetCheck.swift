/// Describes for people what each check of a response compares. The names are those of the findings; a chain's are those of
/// every chain.
package enum SafetyNetCheck {
    package static func meaning(of check: String) -> String? { meanings[check] }

    private static let meanings: [String: String] = [  // not text from outside
        "size": "the response against the longest that is read",
        "token": "the bytes against three parts of base64url",
        "algorithm": "what the header names against RS256",
        "x5c": "the certificates of the header against how many there may be",
        "chain_algorithms": "signature algorithms and keys against those that are strong enough",
        "host": "the DNS names of the certificate against attest.android.com",
        "signature": "the signature against the key of attest.android.com",
        "payload": "what is signed against strict JSON and the fields that must be there",
        "nonce": "the nonce against the one that was asked for",
        "timestamp": "Google's time against the time of judgement",
        "integrity": "what Google says of the device against what is demanded",
    ]
}
