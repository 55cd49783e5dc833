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
