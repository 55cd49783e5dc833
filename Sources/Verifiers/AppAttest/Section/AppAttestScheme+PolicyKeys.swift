/// The keys below `apps.<app>.app_attest` that decide checks, for people who ask why one failed.
extension AppAttestScheme {
    package static let policyKeys = [
        "app_id": "identities", "receipt_app_id": "identities", "environment": "identities",
        "receipt_environment": "identities", "access_control": "identities",
        "category_missing": "require_extensions", "validation_category": "validation_categories",
        "bundle_version": "bundle_versions", "chain_anchor": "extra_roots",
        "counter_not_increasing": "counter", "counter_too_old": "counter", "imported": "accept_imported",
        "receipt": "receipt.mode", "receipt_signature": "receipt.mode", "receipt_age": "receipt.max_age",
        "receipt_not_verified": "receipt.mode", "risk_metric": "receipt.max_risk_metric",
    ]

    /// Extensions and receipts are shown by evidence itself.
    package static let keysShownByClaims: Set<String> = [
        "identities", "roots", "extra_roots", "accept_imported", "receipt.max_risk_metric", "receipt.high_risk",
    ]
}
