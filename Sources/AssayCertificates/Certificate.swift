package import AssayCore
package import AssayEncoding
import Crypto

/// An X.509 certificate (RFC 5280 §4.1), parsed by walking its DER. Every part is a slice of the received bytes, so signatures
/// are checked over the original and nothing is encoded again.
///
/// A class, because a chain of them goes through many checks: a reference costs one count, not one for each part.
package final class Certificate: Sendable {
    /// The longest certificate that is read, in bytes. The longest seen, an Android leaf, is below 4 KiB.
    package static let sizeLimit = 16 * 1024
    /// Extensions of one certificate. The longest list seen has 10.
    package static let extensionLimit = 32
    private static let usualExtensions = 8
    /// Octets of a serial number under the leniency `oddSerial`. The standard allows 20.
    static let serialLimit = 32

    package let der: ArraySlice<UInt8>
    /// The TBSCertificate with its identifier and length: what the issuer signed.
    package let signedPart: ArraySlice<UInt8>
    /// The content of the INTEGER.
    package let serialNumber: ArraySlice<UInt8>
    /// The serial number as an unsigned big-endian integer, without a leading zero.
    package let serial: [UInt8]
    package let signatureAlgorithm: SignatureAlgorithm
    package let issuer: DistinguishedName
    package let validity: Validity
    package let subject: DistinguishedName
    package let publicKey: SubjectPublicKeyInfo
    /// In order; no two have the same OID.
    package let extensions: [CertificateExtension]
    /// The content of the BIT STRING.
    package let signature: ArraySlice<UInt8>
    /// The leniencies that were needed to read it.
    package let usedLeniencies: CertificateLeniencies
    private let knownDigest = ComputedOnce<[UInt8]>()
    private let knownKeyDigest = ComputedOnce<[UInt8]>()
    private let knownKey = ComputedOnce<PublicKey>()

    /// Reads exactly one certificate of version 3. Throws `malformed_certificate`.
    package convenience init(der: ArraySlice<UInt8>, leniencies: CertificateLeniencies = []) throws(Rejection) {
        do throws(Rejection) { try self.init(whole: der, leniencies) } catch {
            throw error.locating(in: der, "the certificate")
        }
    }

    private init(whole der: ArraySlice<UInt8>, _ leniencies: CertificateLeniencies) throws(Rejection) {
        guard der.count <= Self.sizeLimit else { throw Rejection(.malformedCertificate, "a certificate of \(der.count) bytes") }
        var outer = DERReader(der, code: .malformedCertificate)
        var certificate = DERReader(try outer.content(.sequence), code: .malformedCertificate)
        try outer.finish("the certificate")
        let signedElement = try certificate.field("tbsCertificate") { field throws(Rejection) in try field.element(.sequence) }
        let outerAlgorithm = try certificate.field("signatureAlgorithm") { field throws(Rejection) in
            try AlgorithmIdentifier(from: &field)
        }
        signature = try certificate.field("signatureValue") { field throws(Rejection) in try field.bitString() }
        try certificate.finish("the signature")

        var fields = DERReader(signedElement.content, code: .malformedCertificate)
        let version = try fields.field("version") { field throws(Rejection) in
            try field.scope(.context(0)) { reader throws(Rejection) in try reader.smallInteger() }
        }
        guard version == 2 else {
            throw Rejection(
                .malformedCertificate, "a certificate of version \(version.addingReportingOverflow(1).partialValue), want 3")
        }
        var used: CertificateLeniencies = []
        serialNumber = try fields.field("serialNumber") { field throws(Rejection) in
            try Self.serialNumber(&field, leniencies, &used)
        }
        serial =
            serialNumber.count > 1 && serialNumber.first == 0 ? Array(serialNumber.dropFirst()) : Array(serialNumber)
        let innerAlgorithm = try fields.field("signature") { field throws(Rejection) in try AlgorithmIdentifier(from: &field) }
        let algorithm = SignatureAlgorithm(innerAlgorithm, leniencies: leniencies, used: &used)
        // Compared as bytes; if NULL is accepted in place of absent parameters, one of the two may have it.
        guard
            innerAlgorithm.der.equals(outerAlgorithm.der)
                || leniencies.contains(.ecdsaWithNull) && outerAlgorithm.hasSameMeaning(as: innerAlgorithm)
        else {
            throw Rejection(.malformedCertificate, "signature algorithms inside and outside differ")
        }
        issuer = try fields.field("issuer") { field throws(Rejection) in try DistinguishedName(from: &field) }
        validity = try fields.field("validity") { field throws(Rejection) in
            try Validity(from: &field, leniencies: leniencies, used: &used)
        }
        subject = try fields.field("subject") { field throws(Rejection) in try DistinguishedName(from: &field) }
        publicKey = try fields.field("subjectPublicKeyInfo") { field throws(Rejection) in try SubjectPublicKeyInfo(from: &field)
        }
        // issuerUniqueID and subjectUniqueID (§4.1.2.8): skipped.
        _ = try fields.optional(.implicit(1))
        _ = try fields.optional(.implicit(2))
        extensions = try fields.field("extensions") { field throws(Rejection) in
            try Self.extensions(&field, leniencies, &used)
        }
        try fields.finish("the extensions")

        self.der = der
        signedPart = signedElement.encoded
        signatureAlgorithm = algorithm
        if !innerAlgorithm.der.equals(outerAlgorithm.der) { used.insert(.ecdsaWithNull) }
        usedLeniencies = used
    }

    /// RFC 5280 §4.1.2.2: not negative, otherwise two encodings would have one number; at most 20 octets, and one more for a
    /// leading zero that keeps the number positive.
    private static func serialNumber(
        _ fields: inout DERReader, _ leniencies: CertificateLeniencies, _ used: inout CertificateLeniencies
    ) throws(Rejection) -> ArraySlice<UInt8> {
        var strict = fields
        if let number = try? strict.integer(), number.first.map({ $0 & 0x80 == 0 }) ?? false,
            number.drop(while: { $0 == 0 }).count <= 20
        {
            fields = strict
            return number
        }
        let content = try fields.content(.integer)
        guard leniencies.contains(.oddSerial), (1...serialLimit).contains(content.count) else {
            throw Rejection(.malformedCertificate, "a serial number that is negative, too long or not in its shortest form")
        }
        used.insert(.oddSerial)
        return content
    }

    private static func extensions(
        _ fields: inout DERReader, _ leniencies: CertificateLeniencies, _ used: inout CertificateLeniencies
    ) throws(Rejection) -> [CertificateExtension] {
        guard !fields.isAtEnd else { return [] }
        return try fields.scope(.context(3)) { wrapper throws(Rejection) in
            try wrapper.sequence { list throws(Rejection) in
                var extensions: [CertificateExtension] = []
                extensions.reserveCapacity(usualExtensions)
                repeat {
                    let next = try CertificateExtension(from: &list, leniencies: leniencies, used: &used)
                    guard !extensions.contains(where: { $0.oid == next.oid }) else {
                        throw list.rejection("two extensions \(next.oid)")
                    }
                    guard extensions.count < extensionLimit else {
                        throw list.rejection("more than \(extensionLimit) extensions")
                    }
                    extensions.append(next)
                } while !list.isAtEnd
                return extensions
            }
        }
    }
}

extension Certificate {
    /// The value of an extension.
    package func value(of oid: OID) -> ArraySlice<UInt8>? {
        // By index: an iterator would copy each.
        for index in extensions.indices where extensions[index].oid == oid { return extensions[index].value }
        return nil
    }

    package func basicConstraints() throws(Rejection) -> BasicConstraints? {
        guard let value = value(of: .basicConstraints) else { return nil }
        return try BasicConstraints(value)
    }

    package func keyUsage() throws(Rejection) -> KeyUsage? {
        guard let value = value(of: .keyUsage) else { return nil }
        return try KeyUsage(value)
    }

    /// Whether issuer and subject are the same name.
    package var isSelfIssued: Bool { issuer == subject }

    /// Throws `not_yet_valid` or `expired`, naming the certificate by its place in the chain and its subject.
    ///
    /// - Parameters:
    ///   - skew: how far clocks may differ, in milliseconds.
    ///   - checksEnd: false for a certificate that stays in use after its end.
    package func requireValid(at now: Timestamp, skew: Int64, place: Int, checksEnd: Bool = true) throws(Rejection) {
        do throws(Rejection) {
            try validity.requireStarted(at: now, skew: skew)
            if checksEnd { try validity.requireNotEnded(at: now, skew: skew) }
        } catch {
            throw error.at("certificate \(place) (\("\(subject)".shownName))")
        }
    }

    /// Whether this is the certificate with that DER.
    package func hasBytes(of other: [UInt8]) -> Bool { der.equals(other[...]) }

    /// SHA-256 of the DER. Computed at its first use.
    package var digest: [UInt8] { knownDigest.known ?? knownDigest.keep(SHA256.bytes(of: der)) }

    /// SHA-256 of the SubjectPublicKeyInfo. Computed at its first use.
    package var publicKeySHA256: [UInt8] { knownKeyDigest.known ?? knownKeyDigest.keep(publicKey.sha256) }

    /// The public key for verification, decoded once. Throws `unsupported_key`.
    ///
    /// - Parameter allowsWeakRSA: also accept RSA from 1024 bits.
    func decodedKey(allowsWeakRSA: Bool) throws(Rejection) -> PublicKey {
        if let key = knownKey.known { return key }
        let key = try PublicKey(publicKey, allowsWeakRSA: allowsWeakRSA)
        // A weak key is accepted below some roots alone.
        return allowsWeakRSA ? key : knownKey.keep(key)
    }
}

/// The places where genuine devices break RFC 5280, by name. Each applies only if the profile of the evidence allows it, and a
/// certificate lists those that it needed.
package struct CertificateLeniencies: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// GeneralizedTime for a year before 2050, where §4.1.2.5 requires UTCTime. Some StrongBox leaves of Android have it.
    package static let generalizedTimeBefore2050 = CertificateLeniencies(rawValue: 1)
    /// ECDSA with NULL where RFC 5758 §3.2 requires absent parameters: StrongBox of the Pixel 3 and related devices.
    package static let ecdsaWithNull = CertificateLeniencies(rawValue: 2)
    /// `critical` encoded as another octet than FF, or as an explicit FALSE.
    package static let criticalNotDER = CertificateLeniencies(rawValue: 4)
    /// A serial number that is negative, zero-padded or empty (§4.1.2.2). Its octets are taken unchanged.
    package static let oddSerial = CertificateLeniencies(rawValue: 8)
    /// Dates that cannot be read. Such a certificate is never valid: for a leaf whose dates are not checked.
    package static let unreadableDates = CertificateLeniencies(rawValue: 16)

    /// The name of each leniency in the set, in the order of declaration.
    package var names: [String] { Self.words.filter { contains($0.0) }.map(\.1) }

    private static let words: [(CertificateLeniencies, String)] = [
        (.generalizedTimeBefore2050, "generalized_time_before_2050"), (.ecdsaWithNull, "ecdsa_with_null"),
        (.criticalNotDER, "critical_not_der"), (.oddSerial, "odd_serial"), (.unreadableDates, "unreadable_dates"),
    ]
}
