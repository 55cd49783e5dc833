import AssayCertificates
package import AssayCore
import Crypto

extension IssuingAuthority {
    /// A certificate begins so long before it is issued, in milliseconds: a clock that is 5 minutes slow accepts it, as Assay's own rule for
    /// clocks has it.
    package static let backdating: Int64 = 300_000

    /// Builds and signs a certificate of a device. Subject and alternative names come from the order alone.
    package func issue(_ order: CertificateOrder, at now: Timestamp) async throws(AuthorityError) -> SignedCertificate {
        let validity = try validity(of: order.profile, at: now)
        let values = values(for: order)
        let draft = CertificateDraft(
            serial: CertificateDraft.randomSerial(), publicKey: order.publicKey, notBefore: validity.notBefore,
            notAfter: validity.notAfter, subject: try subject(of: order, values), extensions: try extensions(of: order, values))
        let der = try await draft.signed(by: certificateSigner)
        let certificate = DeviceCertificate(
            name: CertificateName(issuer: issuer, serial: draft.serial), app: order.app, device: order.device,
            keyID: Array(SHA256.hash(data: order.publicKey)), notBefore: validity.notBefore, notAfter: validity.notAfter,
            issuedAt: now, basis: order.basis, der: der)
        return SignedCertificate(certificate: certificate, chain: chain.encoded)
    }

    /// In whole seconds, and within the validity of all CAs above.
    private func validity(of profile: CertificateProfile, at now: Timestamp) throws(AuthorityError) -> Validity {
        let notBefore = max(now.adding(milliseconds: -Self.backdating), chain.validity.notBefore).wholeSecond
        let notAfter = min(now.adding(milliseconds: profile.validity), chain.validity.notAfter).wholeSecond
        guard profile.validity > 0, notBefore < notAfter else { throw .impossible("it would be valid at no time") }
        return Validity(notBefore: notBefore, notAfter: notAfter)
    }

    private func subject(
        of order: CertificateOrder, _ values: [NameTemplate.Place: String]
    ) throws(AuthorityError) -> SubjectName {
        func filled(_ template: NameTemplate?) throws(AuthorityError) -> String? { try template?.filled(values) }
        return try SubjectName(
            commonName: try order.profile.commonName.filled(values),
            organization: try filled(order.profile.organization),
            organizationalUnit: try filled(order.profile.organizationalUnit),
            serialNumber: try filled(order.profile.serialNumber))
    }

    private func extensions(
        of order: CertificateOrder, _ values: [NameTemplate.Place: String]
    ) throws(AuthorityError) -> [ExtensionDraft] {
        let key: SubjectPublicKeyInfo
        do throws(Rejection) {
            key = try SubjectPublicKeyInfo(der: order.publicKey[...])
        } catch {
            throw .impossible("the public key cannot be read")
        }
        let common = try profiles.extensions(of: order.profile)
        var extensions = common.leading
        extensions.reserveCapacity(16)
        extensions += [.subjectKey(key.keyIdentifier), .authorityKey(chain.keyIdentifier)]
        var uris: [String] = []
        for template in order.profile.alternativeNames { uris.append(try template.filledURI(values)) }
        if !uris.isEmpty { extensions.append(.alternativeNames(uris)) }
        if let template = order.profile.revocationListURL {
            extensions.append(.revocationList(at: try template.filledURI(values)))
        }
        extensions.append(DeviceStatement.extension(common.statement, order))
        if let fleet = order.fleet { extensions += try fleet.extensions() }
        // There are few.
        for index in extensions.indices
        where extensions[..<index].contains(where: { $0.identifier == extensions[index].identifier }) {
            throw .impossible("two of its extensions have one object identifier")
        }
        return extensions
    }

    private func values(for order: CertificateOrder) -> [NameTemplate.Place: String] {
        var values: [NameTemplate.Place: String] = [
            .app: order.app.text, .device: order.device.description, .ca: name,
        ]
        if let fleet = order.fleet { (values[.serial], values[.family]) = (fleet.serial, fleet.family) }
        return values
    }
}

extension Timestamp {
    /// Without the milliseconds, which certificates do not have.
    var wholeSecond: Timestamp { Timestamp(unixMilliseconds: unixMilliseconds - unixMilliseconds % 1000) }
}
