import AssayCertificates
package import AssayCore
import AssayEncoding
import Crypto

extension IssuingAuthority {
    /// A certificate begins so long before it is issued, in milliseconds: a clock that is 5 minutes slow accepts it, as Assay's own rule for
    /// clocks has it.
    package static let backdating: Int64 = 300_000

    /// Builds and signs a certificate of a device. Subject and alternative names come from the order alone.
    package func issue(_ order: CertificateOrder, at now: Timestamp) async throws(AuthorityError) -> SignedCertificate {
        let validity = try validity(of: order.profile, at: now)
        let names = names(for: order)
        let key = try SubjectPublicKeyInfo(certifying: order.publicKey)
        let draft = CertificateDraft(
            serial: CertificateDraft.randomSerial(), key: key, notBefore: validity.notBefore, notAfter: validity.notAfter,
            subject: try subject(of: order.profile, names), extensions: try extensions(of: order, key, names))
        let der = try await draft.signed(by: certificateSigner)
        let certificate = DeviceCertificate(
            name: CertificateName(issuer: issuer, serial: draft.serial), app: order.app, device: order.device,
            keyID: SHA256.bytes(of: order.publicKey), notBefore: validity.notBefore, notAfter: validity.notAfter,
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

    private func subject(of profile: CertificateProfile, _ names: DeviceNames) throws(AuthorityError) -> SubjectName {
        try SubjectName(
            commonName: try profile.commonName.filled(names), organization: try profile.organization?.filled(names),
            organizationalUnit: try profile.organizationalUnit?.filled(names),
            serialNumber: try profile.serialNumber?.filled(names))
    }

    private func extensions(
        of order: CertificateOrder, _ key: SubjectPublicKeyInfo, _ names: DeviceNames
    ) throws(AuthorityError) -> CertificateExtensions {
        let common = try profiles.extensions(of: order.profile, fleet: order.fleet?.arc)
        var extensions = CertificateExtensions(common.leading, capacity: 512)
        extensions.addSubjectKey(key.keyIdentifier)
        extensions.append(common.authorityKey)
        var uris: [String] = []
        for template in order.profile.alternativeNames { uris.append(try template.filledURI(names)) }
        if !uris.isEmpty { extensions.addAlternativeNames(uris) }
        if let template = order.profile.revocationListURL {
            extensions.addRevocationList(at: try template.filledURI(names))
        }
        extensions.add(common.statement) { DeviceStatement.write(order, to: &$0) }
        if let fleet = order.fleet {
            for (name, content) in zip(common.fleet, fleet.extensionContents) { extensions.add(name) { $0.append(content) } }
        }
        return extensions
    }

    private func names(for order: CertificateOrder) -> DeviceNames {
        DeviceNames(
            app: order.app.text, device: order.device.description, serial: order.fleet?.serial, family: order.fleet?.family,
            ca: name)
    }
}

extension Timestamp {
    /// Without the milliseconds, which certificates do not have.
    var wholeSecond: Timestamp { Timestamp(unixMilliseconds: unixMilliseconds - unixMilliseconds % 1000) }
}
