package import AssayCore
import AssayEncoding

/// The names of the extensions `arc.1` to `arc.6` of a fleet's certificates.
package struct FleetArc: Hashable, Sendable, CustomStringConvertible {
    /// The arc of a fleet whose configuration names none. Certificates below the one that earlier versions had are read too.
    package static let standard = FleetArc(.fleet).or(FleetArc(.earlierFleet))

    /// In dotted decimal.
    private let dotted: String
    private let names: [OID]
    /// Arcs that a certificate may have in place of this one.
    private var others: [FleetArc] = []

    package init(_ arc: ExtensionArc) {
        dotted = arc.description
        names = (1...6).compactMap { OID(arcs: arc.numbers + [$0]) }
    }

    /// `nil` for text that is no OBJECT IDENTIFIER.
    package init?(_ dotted: String) {
        guard let arc = ExtensionArc(dotted) else { return nil }
        self.init(arc)
    }

    /// With the arc of a fleet whose configuration names none, and the one before it.
    package var orStandard: FleetArc { or(.standard) }

    /// Reads certificates below another arc too.
    package func or(_ other: FleetArc) -> FleetArc {
        var arc = self
        arc.others = others + [other] + other.others
        return arc
    }

    /// All arcs that are read, in dotted decimal, the first first.
    package var all: [String] { [dotted] + others.map(\.dotted) }

    package var description: String { all.joined(separator: ", or ") }

    /// The arc below which the certificate has extensions: the first, if it has none.
    func used(in certificate: Certificate) -> FleetArc {
        guard !others.isEmpty else { return self }
        return ([self] + others).first { arc in arc.names.contains { certificate.value(of: $0) != nil } } ?? self
    }

    func value(_ number: Int, in certificate: Certificate) -> ArraySlice<UInt8>? {
        names.indices.contains(number - 1) ? certificate.value(of: names[number - 1]) : nil
    }
}

/// The statements of a fleet's certificate about its device: raw bytes in extnValue.
package struct FleetExtensions: Sendable {
    package let manufacturer: String?
    package let validationEndpoint: String?
    package let family: String?
    /// Ciphertext, tag and nonce; `nil` if the certificate has none.
    package let sealedSecret: ArraySlice<UInt8>?
    package let table: UInt16?
    package let keyIndex: UInt16?

    package init(_ certificate: Certificate, arc: FleetArc) {
        let arc = arc.used(in: certificate)
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
    package func secret(_ fleet: FleetSecrets?) throws(Rejection) -> [UInt8] {
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
    package var deviceSerial: String? {
        let numbers = subject.values(of: Self.serialNumberName)
        let values = numbers.isEmpty ? subject.values(of: Self.commonName) : numbers
        guard values.count == 1, let value = values.first else { return nil }
        return String(validating: value, as: UTF8.self)
    }
}
