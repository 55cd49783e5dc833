import AssayCore

/// The content of the certificates of one device of a fleet, which is the same at its provisioning and at each renewal: serial number,
/// family and secret. Each certificate has the secret sealed again.
struct FleetCertificate: Sendable {
    let fleet: Fleet
    let app: AppID
    let device: DeviceID
    let serial: String
    /// May be empty.
    let family: String
    /// 32 bytes.
    let secret: [UInt8]
    /// The numbers of the device's key tables.
    let tables: [UInt16]

    /// The order for a certificate of the fleet's profile. The secret is sealed by a random key of one of the device's tables, with a
    /// random nonce.
    func order(
        for publicKey: [UInt8], _ basis: CertificateBasis, requestID: [UInt8] = []
    ) throws(StageError) -> CertificateOrder {
        let index = UInt16.random(in: 0..<UInt16(KeyTables.keyCount))
        guard let table = tables.randomElement(), let key = fleet.secrets.tables.key(table: table, index: index),
            let sealed = SealedSecret.seal(secret, with: key)
        else { throw .failed(.inconsistent("a device secret cannot be encrypted")) }
        let rule = fleet.rule
        return CertificateOrder(
            app: app, device: device, publicKey: publicKey, basis: basis, profile: rule.profile, requestID: requestID,
            fleet: FleetStatement(
                arc: rule.arc, serial: serial, manufacturer: rule.manufacturer, validationEndpoint: rule.validationEndpoint,
                sealedSecret: sealed, table: table, keyIndex: index, family: family))
    }

    /// Throws `wrong_curve` unless the key signs bundles: a P-256 key.
    static func checkKey(_ key: RequestedKey) throws(Rejection) {
        guard key.curve == .p256 else { throw Rejection(.wrongCurve, "the key of the CSR is not a P-256 key") }
    }

    /// Three different tables, for a new device.
    static func randomTables() -> [UInt16] {
        var tables: [UInt16] = []
        while tables.count < 3 {
            let table = UInt16.random(in: 0..<UInt16(KeyTables.tableCount))
            if !tables.contains(table) { tables.append(table) }
        }
        return tables
    }
}
