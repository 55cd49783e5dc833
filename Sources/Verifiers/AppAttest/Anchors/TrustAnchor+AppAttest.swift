package import AssayCertificates

extension TrustAnchor {
    /// The built-in roots of App Attest attestations.
    ///
    /// Apple App Attestation Root CA: <https://www.apple.com/certificateauthority/private/>,
    /// `Apple_App_Attestation_Root_CA.pem`, serial number 0BF3BE0EF1CDD2E0FB8C6E721F621798, valid 2020-03-18 18:32:53Z to
    /// 2045-03-15 00:00:00Z. The configuration may add another root (Apple may rotate) but not replace this one. Receipts have
    /// another root. A test recomputes the fingerprints; the list is empty only if the facts below are invalid.
    package static let appAttest: [TrustAnchor] = [appleAppAttestationRoot].compactMap { $0 }

    private static var appleAppAttestationRoot: TrustAnchor? {
        builtIn(
            name: "Apple App Attestation Root CA", publisher: "Apple Inc.",
            // CN=Apple App Attestation Root CA, O=Apple Inc., ST=California
            subject: "MFIxJjAkBgNVBAMMHUFwcGxlIEFwcCBBdHRlc3RhdGlvbiBSb290IENBMRMwEQYDVQQKDApBcHBsZSBJbmMuMRMw"
                + "EQYDVQQIDApDYWxpZm9ybmlh",
            // P-384
            publicKey: "MHYwEAYHKoZIzj0CAQYFK4EEACIDYgAERTHhmLW07ATaFQIEVwTtT4dyctdhNbJhFs/Ii2FdCgAHGbpphY3+d8qj"
                + "uDngIN3WVhQUBHAoMeQ/cLiP1sOUtgjqK9auYen1mMEvRq9Sk3Jm5X8U62H+xTD3FE9TgS41",
            certificate: "1cb9823ba28ba6ad2d33a006941de2ae4f513ef1d4e831b9f7e0fa7b6242c932",
            validity: (1_584_556_373, 2_373_148_800))
    }

    /// The built-in roots of App Attest receipts, which differ from those of attestations.
    ///
    /// Apple Root CA - G3: <https://www.apple.com/certificateauthority/>, `AppleRootCA-G3.cer`, serial number 2DC5FC88D2C54B95,
    /// valid 2014-04-30 18:19:06Z to 2039-04-30 18:19:06Z. Many of Apple's services use this root, so a chain to it alone does
    /// not make a receipt: the signer's marker is required too. A test recomputes the fingerprints; the list is empty only if
    /// the facts below are invalid.
    package static let appAttestReceipt: [TrustAnchor] = [appleRootG3].compactMap { $0 }

    private static var appleRootG3: TrustAnchor? {
        builtIn(
            name: "Apple Root CA - G3", publisher: "Apple Inc.",
            // CN=Apple Root CA - G3, OU=Apple Certification Authority, O=Apple Inc., C=US
            subject: "MGcxGzAZBgNVBAMMEkFwcGxlIFJvb3QgQ0EgLSBHMzEmMCQGA1UECwwdQXBwbGUgQ2VydGlmaWNhdGlvbiBBdXRo"
                + "b3JpdHkxEzARBgNVBAoMCkFwcGxlIEluYy4xCzAJBgNVBAYTAlVT",
            // P-384
            publicKey: "MHYwEAYHKoZIzj0CAQYFK4EEACIDYgAEmOkvPUBypO2TInKBExzdEJXxxaNOcdwUFtkO5aYFKndke19OONO7HES1"
                + "f/UftjJiXcnphFtPME8RWgD9WFgMpfUPLE0HRxN12peXl28xXO0rnXsgO9i5VNlemaQ6UQox",
            certificate: "63343abfb89a6a03ebb57e9b3f5fa7be7c4f5c756f3017b3a8c488c3653e9179",
            validity: (1_398_881_946, 2_187_800_346))
    }
}
