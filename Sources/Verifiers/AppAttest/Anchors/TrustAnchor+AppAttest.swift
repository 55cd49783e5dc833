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
}
