import AssayCertificates
import AssayCore
import AssayEncoding

/// The names of the extensions `arc.1` to `arc.6` of a fleet's certificates.
struct FleetArc: Hashable, Sendable, CustomStringConvertible {
    static let usual = "1.3.6.1.4.1.60000.1"

    /// In dotted decimal.
    let description: String
    private let names: [OID]

    /// `nil` for text that is no OBJECT IDENTIFIER.
    init?(_ dotted: String) {
        let names = (1...6).compactMap { OID(dotted: "\(dotted).\($0)") }
        guard names.count == 6 else { return nil }
        (description, self.names) = (dotted, names)
    }

    func value(_ number: Int, in certificate: Certificate) -> ArraySlice<UInt8>? {
        names.indices.contains(number - 1) ? certificate.value(of: names[number - 1]) : nil
    }
}

/// The statements of a fleet's certificate about its device: raw bytes in extnValue.
struct FleetExtensions {
    let manufacturer: String?
    let validationEndpoint: String?
    let family: String?
    /// Ciphertext, tag and nonce; `nil` if the certificate has none.
    let sealedSecret: ArraySlice<UInt8>?
    let table: UInt16?
    let keyIndex: UInt16?

    init(_ certificate: Certificate, arc: FleetArc) {
        func text(_ number: Int) -> String? {
            arc.value(number, in: certificate).flatMap { String(validating: $0, as: UTF8.self) }
        }
        func number(_ number: Int) -> UInt16? {
            arc.value(number, in: certificate).flatMap { $0.count == 2 ? $0.reduce(0) { $0 << 8 | UInt16($1) } : nil }
        }
        (manufacturer, validationEndpoint, family) = (text(1), text(2), text(6))
        sealedSecret = arc.value(3, in: certificate)
        (table, keyIndex) = (number(4), number(5))
    }

    /// The device's secret. Throws `secret_undecryptable`.
    func secret(_ fleet: FleetSecrets?) throws(Rejection) -> [UInt8] {
        guard let sealedSecret else { throw Self.undecryptable("the certificate has no device secret") }
        guard sealedSecret.count == SealedSecret.length, let table, let keyIndex else {
            throw Self.undecryptable("the secret, its table or its key index is not of the form of a fleet's certificate")
        }
        guard let fleet else { throw Self.undecryptable("the app has no fleet with key tables") }
        guard let key = fleet.tables.key(table: table, index: keyIndex) else {
            throw Self.undecryptable("the app has no key \(keyIndex) of table \(table)")
        }
        guard let secret = SealedSecret.open(sealedSecret, with: key) else {
            throw Self.undecryptable("key \(keyIndex) of table \(table) does not open the secret")
        }
        return secret
    }

    private static func undecryptable(_ detail: String) -> Rejection { Rejection(.secretUndecryptable, detail) }
}

extension Certificate {
    private static let commonName = OID(2, 5, 4, 3)
    private static let serialNumberName = OID(2, 5, 4, 5)

    /// The serial number of the device by its subject: `serialNumber`, or else the common name; `nil` unless exactly one is given.
    var deviceSerial: String? {
        let numbers = subject.values(of: Self.serialNumberName)
        let values = numbers.isEmpty ? subject.values(of: Self.commonName) : numbers
        guard values.count == 1, let value = values.first else { return nil }
        return String(validating: value, as: UTF8.self)
    }
}
