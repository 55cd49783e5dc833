/// What is answered for a device of a fleet that is provisioned: its certificate, its key tables and its secret.
package struct ProvisionedDevice: Sendable {
    package let certificate: DeviceCertificate
    /// The CA's certificates (DER), the issuer first.
    package let chain: [[UInt8]]
    /// The device's key tables, in the order of its record.
    package let tables: [KeyTable]
    /// 32 bytes.
    package let secret: [UInt8]
    /// PKCS#8 (DER) if Assay made the device's key, and only when the device is new; else empty.
    package let privateKey: [UInt8]
    /// True if an equal request was answered before.
    package let repeated: Bool

    package init(
        certificate: DeviceCertificate, chain: [[UInt8]], tables: [KeyTable], secret: [UInt8], privateKey: [UInt8] = [],
        repeated: Bool = false
    ) {
        (self.certificate, self.chain, self.tables) = (certificate, chain, tables)
        (self.secret, self.privateKey, self.repeated) = (secret, privateKey, repeated)
    }
}
