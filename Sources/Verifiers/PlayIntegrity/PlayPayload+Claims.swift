import AssayCore

extension PlayPayload {
    /// The token's fields as claims, by their names. Absent fields are not claimed.
    var claims: Claims {
        var claims = Claims()
        claims.reserveCapacity(24)
        claims.add("request_package_name", .text(requestPackageName))
        claims.add("nonce", nonce.map { .text($0) })
        claims.add("request_hash", requestHash.map { .text($0) })
        claims.add("timestamp_millis", .integer(timestamp.unixMilliseconds))
        claims.add("app_recognition_verdict", app.verdict.map { .text($0) })
        claims.add("package_name", app.packageName.map { .text($0) })
        claims.add("certificate_sha256_digest", app.certificateDigests.map { .texts($0) })
        claims.add("version_code", app.versionCode.map { .integer($0) })
        claims.add("device_recognition_verdict", .texts(device.labels))
        claims.add("legacy_device_recognition_verdict", device.legacyLabels.map { .texts($0) })
        claims.add("sdk_version", device.sdkVersion.map { .integer($0) })
        claims.add("device_activity_level", device.activityLevel.map { .text($0) })
        for bit in recall?.bits ?? [] {
            claims.add("device_recall_\(bit.claim)", .boolean(bit.isSet))
            claims.add("device_recall_\(bit.claim)_written", bit.writeDate.map { .integer($0) })
        }
        claims.add("app_licensing_verdict", licensing.map { .text($0) })
        claims.add("account_activity_level", accountActivity.map { .text($0) })
        claims.add("apps_detected", appsDetected.map { .texts($0) })
        claims.add("play_protect_verdict", playProtect.map { .text($0) })
        claims.add("is_testing_response", isTestingResponse ? .boolean(true) : nil)
        return claims
    }
}
