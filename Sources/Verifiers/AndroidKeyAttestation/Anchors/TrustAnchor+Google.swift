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

extension TrustAnchor {
    /// The roots of software attestation, whose private keys are published in Android's sources. They are *recognised*, so that
    /// the reason can name the kind of chain; they are trusted, as simulated roots, only if a configuration says so, for
    /// emulators and tests. A test recomputes the fingerprints.
    package static let googleSoftware: [TrustAnchor] = [
        builtIn(
            name: "Android Keystore Software Attestation Root", publisher: "Google LLC",
            // CN=Android Keystore Software Attestation Root, OU=Android, O=Google, Inc., L=Mountain View, ST=California, C=US
            subject: "MIGYMQswCQYDVQQGEwJVUzETMBEGA1UECAwKQ2FsaWZvcm5pYTEWMBQGA1UEBwwNTW91bnRhaW4gVmlldzEVMBMGA1UE"
                + "CgwMR29vZ2xlLCBJbmMuMRAwDgYDVQQLDAdBbmRyb2lkMTMwMQYDVQQDDCpBbmRyb2lkIEtleXN0b3JlIFNvZnR3YXJl"
                + "IEF0dGVzdGF0aW9uIFJvb3Q=",
            // P-256
            publicKey: "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE7l1ex+HA220Dpn7mthvsTWpdamguD/9/SQ59dx9EIm29sa/6FsvHrcV3"
                + "0lacqrewLVQBXT5DKyqO107sSHVBpA==",
            certificate: "51d496ad4664190fbdaf1ad987278efa35d6fbf52e50a9c34ded8395477ede5c",
            validity: (1_452_473_030, 2_083_193_030), isSoftware: true),
        builtIn(
            name: "Android Keystore Software Attestation Root (RSA)", publisher: "Google LLC",
            // OU=Android, O=Google, Inc., L=Mountain View, ST=California, C=US
            subject: "MGMxCzAJBgNVBAYTAlVTMRMwEQYDVQQIDApDYWxpZm9ybmlhMRYwFAYDVQQHDA1Nb3VudGFpbiBWaWV3MRUwEwYDVQQK"
                + "DAxHb29nbGUsIEluYy4xEDAOBgNVBAsMB0FuZHJvaWQ=",
            // RSA of 1024 bits
            publicKey: "MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQCia63rbi5EYe/VDoLmt5TRdSMfd5tjkWP/96r/C3JHTsAsQ+wzfNes"
                + "7UA+jCigZtX3hwszl94OuE4TQKuvpSe/lWmgMdsGUmX4RFlXYfC78hdLt0GAZMAoDo9Sd47b0ke2RekZyOmLw9vCkT/X"
                + "11DEHTVm+Vfkl5YLCazOkjWFmwIDAQAB",
            certificate: "4e42730efd521b21d77b109b7532a0b664ddfefc73e129111936200c5e58cce0",
            validity: (1_451_910_668, 2_082_630_668), isSoftware: true),
    ].compactMap { $0 }
}
