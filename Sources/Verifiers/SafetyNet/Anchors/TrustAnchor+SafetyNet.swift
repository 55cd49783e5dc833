package import AssayCertificates

extension TrustAnchor {
    /// The roots of the web PKI above Google's certificates for attest.android.com while SafetyNet was in service. They are
    /// used only for responses of SafetyNet. A test recomputes the fingerprints; a root is missing only if its facts below are
    /// invalid.
    package static let safetyNet: [TrustAnchor] = [globalSignR1, globalSignR2].compactMap { $0 }

    /// <https://secure.globalsign.net/cacert/Root-R1.crt>, serial number 040000000001154B5AC394: it signed GTS Root R1.
    private static var globalSignR1: TrustAnchor? {
        builtIn(
            name: "GlobalSign Root CA", publisher: "GlobalSign",
            // CN=GlobalSign Root CA, OU=Root CA, O=GlobalSign nv-sa, C=BE
            subject: "MFcxCzAJBgNVBAYTAkJFMRkwFwYDVQQKExBHbG9iYWxTaWduIG52LXNhMRAwDgYDVQQLEwdSb290IENBMRswGQYDVQQDExJH"
                + "bG9iYWxTaWduIFJvb3QgQ0E=",
            // RSA of 2048 bits
            publicKey: "MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA2g7mmY3Oo+NPin778YuDJWvqSB/xKrC5lREEvfBj0eJnZs8c"
                + "3c8bSCvujYmOmq8pgGWr6cctEsurHExwB6E9CjDNFY1P+N3UjFAVHO9Q7sQu9/zpUvKRfeBt1TUwjl5Dc/JB6dVq47KJ"
                + "OlY5OG8GPIhpWypNxadUuGyJzJv5PMrl/Yn1EjySeJbW3HRuk0Rh0Y3HRrJ1DoboGYrVbWzVeBaVounICjjr8iQTT3NU"
                + "kxOFOhu8HjS1iwWMuXeLsdsfIJGrCVNukM57N3S5cEeRIlFjFnmusa5BJgjIGSvRRqpI1mQq14M0/ywqwWwZQ0oHhefT"
                + "fPYhaO/q8lKff5OQzwIDAQAB",
            certificate: "ebd41040e4bb3ec742c9e381d31ef2a41a48b6685c96e7cef3c1df6cd4331c99",
            validity: (904_651_200, 1_832_673_600))
    }

    /// <https://secure.globalsign.net/cacert/Root-R2.crt>, serial number 0203E4F461EC99D9D57966CA7A: it signed GTS CA 1O1 and
    /// Google Internet Authority G3.
    private static var globalSignR2: TrustAnchor? {
        builtIn(
            name: "GlobalSign Root CA - R2", publisher: "GlobalSign",
            // CN=GlobalSign, O=GlobalSign, OU=GlobalSign Root CA - R2
            subject: "MEwxIDAeBgNVBAsTF0dsb2JhbFNpZ24gUm9vdCBDQSAtIFIyMRMwEQYDVQQKEwpHbG9iYWxTaWduMRMwEQYDVQQDEwpHbG9i"
                + "YWxTaWdu",
            // RSA of 2048 bits
            publicKey: "MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAps8kDr4ubyiZRULEqz4hVJsL03+EcPoSs8u/h1/Gf4bTsjBc"
                + "1v2t8Xvc5fhglgmSEPXQU977e35ziKxSiHtKpspJpl6op4xaEbx6guu+jOmzrJYlB5dKmSoHL7Qed7+KD7UCfBuWuMW5"
                + "Oiy81hK561l94tAGhl9eSWq1OV6INOy8eAwImIRsqM1LtKB9DHlN8LgtyyHK1WxbfeGgKYSh+dOUScskYpEgvN0L1dnM"
                + "+eonCitzkcadG6zIy+jgoPQvkItN+7A2G/YZeoXgbfJhE4hcn+CTClGXilrOr6vV96oJqmC93Nlf33KpYBNeAAHJSvo/"
                + "pOoHAyECjoLKA8KbjwIDAQAB",
            certificate: "69e2d06c30f366166165e91d68d1cee5cc47584a80227e76666086c0107241eb",
            validity: (1_166_169_600, 1_639_555_200))
    }
}
