import AssayCore
import AssaySigning
import SwiftASN1

/// TBSCertList (RFC 5280 §5.1.2), version 2, with the extensions authorityKeyIdentifier and cRLNumber.
struct RevocationListBody: DERSerializable {
    let content: RevocationListContent
    /// The CA's subject (DER).
    let issuer: ArraySlice<UInt8>
    /// Of the CA's key.
    let keyIdentifier: [UInt8]
    let algorithm: SigningAlgorithm

    func serialize(into coder: inout DER.Serializer) throws {
        try coder.appendConstructedNode(identifier: .sequence) { coder in
            // v2.
            try coder.serialize(1)
            coder.serializeRawBytes(algorithm.signatureIdentifier)
            coder.serializeRawBytes(issuer)
            try coder.serialize(RevocationTime(content.thisUpdate))
            try coder.serialize(RevocationTime(content.nextUpdate))
            // An empty list has no revokedCertificates (§5.1.2.6).
            if !content.revoked.isEmpty { try coder.serializeSequenceOf(content.revoked.map { RevocationEntry($0) }) }
            try coder.serialize(explicitlyTaggedWithTagNumber: 0, tagClass: .contextSpecific) { coder in
                try coder.serializeSequenceOf(extensions)
            }
        }
    }

    private var extensions: [RevocationExtension] {
        get throws {
            var identifier = DER.Serializer()
            identifier.appendConstructedNode(identifier: .sequence) { coder in
                coder.appendPrimitiveNode(identifier: ASN1Identifier(tagWithNumber: 0, tagClass: .contextSpecific)) { bytes in
                    bytes.append(contentsOf: keyIdentifier)
                }
            }
            var number = DER.Serializer()
            try number.serialize(content.number)
            return [
                RevocationExtension(identifier: [2, 5, 29, 35], value: identifier.serializedBytes),
                RevocationExtension(identifier: [2, 5, 29, 20], value: number.serializedBytes),
            ]
        }
    }
}

/// An entry of revokedCertificates. `unspecified` has no reason code (§5.3.1).
private struct RevocationEntry: DERSerializable {
    let revoked: RevokedCertificate

    init(_ revoked: RevokedCertificate) { self.revoked = revoked }

    func serialize(into coder: inout DER.Serializer) throws {
        try coder.appendConstructedNode(identifier: .sequence) { coder in
            coder.appendPrimitiveNode(identifier: .integer) { bytes in
                let digits = revoked.serial.drop { $0 == 0 }
                if (digits.first ?? 0x80) & 0x80 != 0 { bytes.append(0) }
                bytes.append(contentsOf: digits)
            }
            try coder.serialize(RevocationTime(revoked.revocation.time))
            guard revoked.revocation.reason != .unspecified else { return }
            let reason = RevocationExtension(
                identifier: [2, 5, 29, 21], value: [0x0A, 0x01, revoked.revocation.reason.rawValue])
            try coder.serializeSequenceOf([reason])
        }
    }
}

/// An extension that is not critical.
private struct RevocationExtension: DERSerializable {
    let identifier: ASN1ObjectIdentifier
    let value: [UInt8]

    func serialize(into coder: inout DER.Serializer) throws {
        try coder.appendConstructedNode(identifier: .sequence) { coder in
            try coder.serialize(identifier)
            try coder.serialize(ASN1OctetString(contentBytes: value[...]))
        }
    }
}

/// UTCTime through 2049, GeneralizedTime from 2050 on (§5.1.2.4), in whole seconds.
private struct RevocationTime: DERSerializable {
    let time: Timestamp

    init(_ time: Timestamp) { self.time = time }

    func serialize(into coder: inout DER.Serializer) throws {
        let (days, second) = (time.unixMilliseconds / 1000).quotientAndRemainder(dividingBy: 86_400)
        let date = CivilDate(daysSince1970: days)
        let (year, month, day) = (Int(date.year), Int(date.month), Int(date.day))
        let (hours, minutes, seconds) = (Int(second / 3600), Int(second / 60 % 60), Int(second % 60))
        if (1950..<2050).contains(year) {
            try coder.serialize(
                UTCTime(year: year, month: month, day: day, hours: hours, minutes: minutes, seconds: seconds))
        } else {
            try coder.serialize(
                GeneralizedTime(
                    year: year, month: month, day: day, hours: hours, minutes: minutes, seconds: seconds,
                    fractionalSeconds: 0))
        }
    }
}
