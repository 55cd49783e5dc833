public import AssayCore
import AssayEncoding

/// An X.509 revocation list before it is signed (RFC 5280 §5). Everything can be changed, to break it.
public struct RevocationListBuilder: Sendable {
    public struct Entry: Hashable, Sendable {
        /// Big-endian and unsigned.
        public var serial: [UInt8]
        public var time: Timestamp
        /// A CRLReason; `nil`: left out.
        public var reason: UInt64?
        public var extensions: [CertificateBuilder.Extension] = []

        public init(_ serial: [UInt8], at time: Timestamp, reason: UInt64? = nil) {
            (self.serial, self.time, self.reason) = (serial, time, reason)
        }

        var der: [UInt8] {
            let reasons = reason.map { [CertificateBuilder.Extension("2.5.29.21", DERWriter.enumerated($0))] } ?? []
            let all = (reasons + extensions).map(\.der)
            return DERWriter.sequence(
                [DERWriter.integer(unsigned: serial), DERWriter.time(time)] + (all.isEmpty ? [] : [DERWriter.sequence(all)]))
        }
    }

    /// The number in the version field, 1 for v2; `nil` omits the field, which means v1.
    public var version: UInt64? = 1
    public var algorithm: CertificateBuilder.Algorithm
    public var issuer: CertificateBuilder.Name
    public var thisUpdate: Timestamp
    /// `nil` omits the field.
    public var nextUpdate: Timestamp?
    /// Without entries the field is omitted.
    public var entries: [Entry]
    /// The CRL number; `nil` omits the extension.
    public var number: UInt64? = 1
    /// Beside the number.
    public var extensions: [CertificateBuilder.Extension] = []

    public init(
        algorithm: CertificateBuilder.Algorithm, issuer: CertificateBuilder.Name, thisUpdate: Timestamp, nextUpdate: Timestamp?,
        entries: [Entry]
    ) {
        (self.algorithm, self.issuer) = (algorithm, issuer)
        (self.thisUpdate, self.nextUpdate, self.entries) = (thisUpdate, nextUpdate, entries)
    }

    /// A list of an authority's issuing CA, for a week.
    public init(of authority: CameraAuthority, at time: Timestamp, entries: [Entry] = []) {
        self.init(
            algorithm: .usual(for: authority.issuingKey), issuer: CameraAuthority.issuingName, thisUpdate: time,
            nextUpdate: time.adding(milliseconds: 7 * 86_400_000), entries: entries)
    }

    /// The list in DER.
    public func signed(by key: TestKey) throws(SimulatorError) -> [UInt8] {
        let numbers = number.map { [CertificateBuilder.Extension("2.5.29.20", DERWriter.integer($0))] } ?? []
        let all = (numbers + extensions).map(\.der)
        let toBeSigned = DERWriter.sequence(
            (version.map { [DERWriter.integer($0)] } ?? []) + [algorithm.der, issuer.der, DERWriter.time(thisUpdate)]
                + (nextUpdate.map { [DERWriter.time($0)] } ?? [])
                + (entries.isEmpty ? [] : [DERWriter.sequence(entries.map(\.der))])
                + (all.isEmpty ? [] : [DERWriter.context(0, [DERWriter.sequence(all)])]))
        return DERWriter.sequence([
            toBeSigned, algorithm.der, DERWriter.bitString(try key.sign(certificate: toBeSigned, hash: algorithm.hash)),
        ])
    }

    /// The list in PEM.
    public func pem(signedBy key: TestKey) throws(SimulatorError) -> String {
        PEM.encode(try signed(by: key), label: "X509 CRL")
    }
}
