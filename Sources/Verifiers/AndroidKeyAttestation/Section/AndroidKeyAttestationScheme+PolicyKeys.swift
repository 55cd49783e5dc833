/// The keys below `apps.<app>.android` that decide checks, for people who ask why one failed.
extension AndroidKeyAttestationScheme {
    package static let policyKeys = [
        "chain_anchor": "extra_roots", "revocation": "revocation", "denied": "denied", "tag_order": "require_tag_order",
        "versions": "require_equal_versions",
        "security_level": "security_level", "root_of_trust": "verified_boot", "device_locked": "verified_boot.allow_unlocked",
        "verified_boot": "verified_boot.self_signed_keys", "boot_key": "verified_boot.self_signed_keys",
        "boot_key_denied": "verified_boot.allow_test_keys", "key_kind": "key.kinds", "key_origin": "key.origins",
        "key_purpose": "key.purposes", "key_properties": "key.properties", "package": "packages", "signer": "packages",
        "attested_app": "packages", "app_version": "packages", "os_version": "min_os_version",
        "os_patch_level": "patch_levels.os", "vendor_patch_level": "patch_levels.vendor",
        "boot_patch_level": "patch_levels.boot", "patch_level_in_future": "patch_levels.months_ahead",
        "offline": "offline", "timestamp_too_old": "offline.max_age", "timestamp_in_future": "offline.max_future",
        "attested_ids": "attested_ids", "creation_time": "creation_window",
        "remote_provisioning": "remote_key_provisioning.require_remote",
        "provisioning_count": "remote_key_provisioning.max_certificates",
        "attestation_key": "remote_key_provisioning.overuse",
    ]

    /// The age of the key, the order of its tags, its list and the use of its attestation key are judged at registration.
    package static let keysShownByClaims: Set<String> = [
        "roots", "extra_roots", "packages", "security_level", "verified_boot", "min_os_version", "patch_levels", "key",
        "attested_ids", "require_equal_versions", "allow_suspended", "denied", "remote_key_provisioning.require_remote",
        "remote_key_provisioning.max_certificates", "require_play_integrity",
    ]
}
