extension AndroidKey {
    /// A request for a certificate of this key (DER), as an app makes one with a key that may sign.
    public func certificateRequest() throws(SimulatorError) -> [UInt8] {
        try CertificateRequestDraft(key, subject: .init(commonName: "Android Keystore Key")).signed(by: key)
    }
}
