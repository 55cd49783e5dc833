/// The keys below `apps.<app>.certificate_bundle` that decide checks, for people who ask why one failed.
extension CertificateBundleScheme {
    package static let policyKeys = [
        "chain_anchor": "authorities", "certificate_record": "issued_here", "revocation": "crl_files", "secret": "secret",
        "timestamp_in_future": "max_future", "timestamp_too_old": "max_age", "split_not_allowed": "split",
        "too_many_submissions": "submissions.block", "submissions": "submissions.warn",
    ]
}
