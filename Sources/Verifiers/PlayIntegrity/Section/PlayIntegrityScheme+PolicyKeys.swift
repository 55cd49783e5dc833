/// The keys below `apps.<app>.play_integrity` that decide checks, for people who ask why one failed.
extension PlayIntegrityScheme {
    package static let policyKeys: [String: String] = {
        var keys = [
            "decryption": "keys", "signature": "keys", "vendor": "mode", "request_package": "packages", "package": "packages",
            "request_binding": "kinds", "timestamp": "max_age", "app_verdict": "app_verdicts", "signer": "signers",
            "app_version": "min_version_code", "device_verdict": "device_verdicts", "sdk_version": "min_sdk_version",
        ]
        for signal in PlaySignal.allCases { keys[signal.rawValue] = "signals.\(signal.rawValue)" }
        return keys
    }()
}
