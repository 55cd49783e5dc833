public import AssayCore

extension JSONDraft {
    /// Google's statement about a genuine app on a certified device: the payload of a token; any member can be changed
    /// (`payload["appIntegrity", "versionCode"] = …`).
    ///
    /// - Parameters:
    ///   - signer: SHA-256 of the certificate that signs the package.
    ///   - time: Google's clock.
    public static func playPayload(package: String, signer: [UInt8], at time: Timestamp) -> JSONDraft {
        var payload = JSONDraft.object([])
        payload["requestDetails", "requestPackageName"] = .text(package)
        payload["requestDetails", "timestampMillis"] = .text(String(time.unixMilliseconds))
        payload["appIntegrity", "appRecognitionVerdict"] = .text("PLAY_RECOGNIZED")
        payload["appIntegrity", "packageName"] = .text(package)
        payload["appIntegrity", "certificateSha256Digest"] = .texts([Base64.url.encode(signer)])
        payload["appIntegrity", "versionCode"] = .text("42")
        payload["deviceIntegrity", "deviceRecognitionVerdict"] = .texts(["MEETS_DEVICE_INTEGRITY"])
        payload["accountDetails", "appLicensingVerdict"] = .text("LICENSED")
        return payload
    }

    /// The same, for a classic request: the client data itself is the nonce.
    public static func playPayload(
        package: String, signer: [UInt8], nonce: [UInt8], at time: Timestamp
    ) -> JSONDraft {
        var payload = playPayload(package: package, signer: signer, at: time)
        payload["requestDetails", "nonce"] = .text(Base64.url.encode(nonce))
        return payload
    }

    /// The same, for a standard request.
    ///
    /// - Parameter requestHash: SHA-256 of the client data.
    public static func playPayload(
        package: String, signer: [UInt8], requestHash: [UInt8], at time: Timestamp
    ) -> JSONDraft {
        var payload = playPayload(package: package, signer: signer, at: time)
        payload["requestDetails", "requestHash"] = .text(Base64.url.encode(requestHash))
        return payload
    }

    /// The rest of it when a token of a standard request was decoded too often.
    public var playCleared: JSONDraft {
        var payload = self
        payload["appIntegrity"] = .object([.init("appRecognitionVerdict", .text("UNEVALUATED"))])
        payload["deviceIntegrity"] = .object([])
        payload["accountDetails"] = .object([.init("appLicensingVerdict", .text("UNEVALUATED"))])
        return payload
    }
}
