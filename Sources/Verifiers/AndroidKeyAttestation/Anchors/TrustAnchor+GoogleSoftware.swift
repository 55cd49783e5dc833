package import AssayCertificates

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
