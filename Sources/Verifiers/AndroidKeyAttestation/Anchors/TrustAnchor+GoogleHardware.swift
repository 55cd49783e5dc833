package import AssayCertificates

extension TrustAnchor {
    /// The built-in roots of Android's hardware-backed key attestation (<https://android.googleapis.com/attestation/root>). A
    /// test recomputes the fingerprints; a root is missing only if its facts below are invalid.
    package static let googleHardware: [TrustAnchor] = [googleHardwareRSA, googleHardwareP384].compactMap { $0 }

    /// The RSA root. It was issued four times with the same name and key: 2016 (c1984a3e…, expired in May 2026, and still
    /// presented by devices), 2019 (1ef1a04b…), 2021 (ab664117…) and 2022, which is used here.
    private static var googleHardwareRSA: TrustAnchor? {
        builtIn(
            name: "Google Hardware Attestation Root (RSA)", publisher: "Google LLC",
            // serialNumber=f92009e853b6b045
            subject: "MBsxGTAXBgNVBAUTEGY5MjAwOWU4NTNiNmIwNDU=",
            // RSA of 4096 bits
            publicKey: "MIICIjANBgkqhkiG9w0BAQEFAAOCAg8AMIICCgKCAgEAr7bHgiuxpwHsK7Qui8xUFmOr75gvMsd/dTEDDJdSSxtf6An7"
                + "xyqpRR90PL2abxM1dEqlXnf2tqw1Ne4Xwl5jlRfdnJLmN0pTy/4lj4/7tv0Sk3iiKkypnEUtR6WfMgH0QZfKHM1+di+y"
                + "9TFRtv6y//0rb+T+W8a9nsNL/ggjnar86461qO0rOs2cXjp3kOG1FEJ5MVmFmBGtnrKpa73XpXyTqRxB/M0n1n/W9nGq"
                + "C4FSYa04T6N5RIZGBN2z2MT5IKGbFlbC8UrW0DxW7AYImQQcHtGl/m00QLVWutHQoVJYnFPlXTcHYvASLu+RhhsbDmxM"
                + "gJJ0mcDpvsC4PjvB+TxywElgS70vE0XmLD+OJtvsBslHZvPBKCOdT0MS+tgSOIfga+z1Z1g7+DVagf7quvmag8jfPioy"
                + "KvxnK/EgsTUVi2ghzq8wm27ud/mIM7AY2qEORR8Go3TVB4HzWQgpZrt3i5MIlCaY504LzSRiigHCzAPlHws+W0rB5N+e"
                + "r5/2pJKnfBSDiCiFAVtCLOZ7gLiMm0jhO2B6tUXHI/+MRPjy02i59lINMRRev56GKtcd9qO/0kUJWdZTdA2XoS82ixPv"
                + "ZtXQpUpuL12ab+9EaDK8Z4RHJYYfCT3Q5vNAXaiWQ+8PTWm2QgBR/bkwSWc+NpUFgNPN9PvQi8WEg5UmAGMCAwEAAQ==",
            certificate: "cedb1cb6dc896ae5ec797348bce9286753c2b38ee71ce0fbe34a9a1248800dfc",
            validity: (1_647_799_668, 2_278_519_668))
    }

    /// The root of 2025, used for remotely provisioned chains since 2026.
    private static var googleHardwareP384: TrustAnchor? {
        builtIn(
            name: "Key Attestation CA1", publisher: "Google LLC",
            // CN=Key Attestation CA1, OU=Android, O=Google LLC, C=US
            subject: "MFIxHDAaBgNVBAMME0tleSBBdHRlc3RhdGlvbiBDQTExEDAOBgNVBAsMB0FuZHJvaWQxEzARBgNVBAoMCkdvb2dsZSBM"
                + "TEMxCzAJBgNVBAYTAlVT",
            publicKey: "MHYwEAYHKoZIzj0CAQYFK4EEACIDYgAEI9ojcU7fPlsFCjxy6IRqzgeOoK0b+YsV9FPQywiyw8EQRTkJ9u3qwfnI4DGo"
                + "SLlBqClTXJfgfCcZvs60FikNMHnu4fkRzObfgDkU2KNXezT9/RQ+XvNslxPHrHCowhGr",
            certificate: "6d9db4ce6c5c0b293166d08986e05774a8776ceb525d9e4329520de12ba4bcc0",
            validity: (1_752_791_538, 2_068_151_538))
    }
}
