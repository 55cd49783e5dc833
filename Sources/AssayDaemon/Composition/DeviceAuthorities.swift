import AssayConfiguration
import AssayCore
import AssayService

extension LiveConfiguration {
    /// How long revocation lists are good.
    var revocationListRule: RevocationListRule {
        guard let lists = provisioning?.lists else { return RevocationListRule() }
        return RevocationListRule(lifetime: lists.validity, renewBefore: lists.renewBefore)
    }

    /// Publishes revocation lists as files; `nil` unless the configuration names a folder.
    var publishesRevocationLists: RevocationListTask.Publish? {
        guard let directory = provisioning?.lists.directory else { return nil }
        let files = RevocationListFiles(directory: directory)
        return { name, list in try files.publish(name, list) }
    }
}

func deviceAuthorities(_ settings: ProvisioningSettings?, at now: Timestamp) async throws -> any CertificateAuthority {
    NoAuthority()
}

/// The CAs of a configuration without the section `provisioning`.
struct NoAuthority: CertificateAuthority {
    func requestedKey(_ csr: [UInt8]) throws(Rejection) -> [UInt8] {
        throw Rejection(.malformedCSR, "no CA is configured that reads requests")
    }

    func checkKey(_ publicKey: [UInt8]) throws(Rejection) {
        throw Rejection(.unsupportedKey, "no CA is configured that certifies keys")
    }

    func issue(_ order: CertificateOrder, at now: Timestamp) async throws(AuthorityError) -> SignedCertificate {
        throw .noSigningAuthority
    }

    func authorities(at now: Timestamp) -> [AuthorityFacts] { [] }

    func fleetStatement(in certificate: [UInt8], arc: [UInt64]) -> FleetStatement? { nil }

    func sign(_ content: RevocationListContent, issuer: [UInt8]) async throws(AuthorityError) -> [UInt8] {
        throw .noSigningAuthority
    }
}
