package import AssayCertificates
package import AssayCore
package import AssayEncoding

/// How the attestation key came into the device, by the names in a verified chain. Only Google and the manufacturer choose
/// names under a Google root, never the app. The leaf's name is not read: the app can choose it.
package enum ChainClass: String, CaseIterable, Hashable, Sendable {
    /// A batch key from the factory, shared by many devices, for their lifetime.
    case factory
    /// A key of one device and app, certified by Google's servers for some weeks.
    case remote = "rkp"
    case unknown

    /// - Parameter chain: leaf first, verified up to an anchor.
    package init(_ chain: ValidatedChain) {
        let issuers = chain.issuers
        // The first of them is the attestation certificate; the names above it say how it was provisioned.
        if issuers.dropFirst().contains(where: { Self.isProvisioner($0.subject) }) {
            self = .remote
        } else if let top = issuers.last, top.subject.hasValue(of: .serialNumberAttribute) {
            self = .factory
        } else {
            self = .unknown
        }
    }

    /// Whether all certificates above the attestation certificate are CAs of Google's servers.
    static func isProvisionedDirectly(_ chain: ValidatedChain) -> Bool {
        chain.issuers.dropFirst().allSatisfy { isProvisioner($0.subject) }
    }

    private static func isProvisioner(_ name: DistinguishedName) -> Bool {
        name.hasValue(of: .organization) { $0.spells("Google LLC") }
            && name.hasValue(of: .commonName) { $0.starts(with: "Droid CA".utf8) }
    }

    /// Which dates of the certificates between leaf and root are checked. The device chooses the leaf's dates, and roots are
    /// trusted by their key.
    package enum ValidityProfile: String, Hashable, Sendable {
        /// Factory keys cannot be renewed: they stay in use after their certificates have expired.
        case notBeforeOnly = "not_before_only"
        case both = "not_before_and_not_after"
    }

    package var validityProfile: ValidityProfile {
        switch self {
        case .factory: .notBeforeOnly
        case .remote, .unknown: .both
        }
    }
}

/// The security level that a chain's names state.
package enum ChainLevel: Hashable, Sendable {
    case trustedEnvironment
    case strongBox
    case unknown

    package init(_ chain: ValidatedChain, _ chainClass: ChainClass) {
        guard let attesting = chain.issuers.first, let top = chain.issuers.last else {
            self = .unknown
            return
        }
        switch chainClass {
        case .remote:
            let name = attesting.subject
            self =
                name.hasValue(of: .organization) { $0.spells("StrongBox") }
                ? .strongBox : name.hasValue(of: .organization) { $0.spells("TEE") } ? .trustedEnvironment : .unknown
        case .factory, .unknown:
            self = [attesting, top].contains { Self.namesStrongBox($0.subject) } ? .strongBox : .unknown
        }
    }

    private static func namesStrongBox(_ name: DistinguishedName) -> Bool {
        [OID.title, .commonName, .organization, .organizationalUnit].contains { attribute in
            name.hasValue(of: attribute) { value in
                // ASCII letters in lower case.
                let lower = value.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
                return lower.firstRange(of: Array("strongbox".utf8)) != nil
            }
        }
    }

    /// Whether such a chain can certify a key of this level.
    package func fits(_ level: SecurityLevel) -> Bool {
        switch level {
        case .software: true
        case .trustedEnvironment: self != .strongBox
        case .strongBox: self == .strongBox
        }
    }
}

extension OID {
    fileprivate static let commonName = OID(2, 5, 4, 3)
    fileprivate static let serialNumberAttribute = OID(2, 5, 4, 5)
    fileprivate static let organization = OID(2, 5, 4, 10)
    fileprivate static let organizationalUnit = OID(2, 5, 4, 11)
    fileprivate static let title = OID(2, 5, 4, 12)
}

/// Google's server describes the device in extension 1.3.6.1.4.1.11129.2.1.30 of a remotely provisioned attestation
/// certificate: a CBOR map without a version. Some genuine devices carry a malformed one, so a malformed one alone rejects no
/// device.
package struct RemoteKeyProvisioningInfo: Hashable, Sendable {
    package static let oid = OID(1, 3, 6, 1, 4, 1, 11129, 2, 1, 30)

    /// About how many certificates were issued to the device in 30 days; `nil` if not stated. Hundreds suggest a device that
    /// attests for others.
    package let certificatesIssued: UInt64?

    package init(_ value: ArraySlice<UInt8>) throws(Rejection) {
        var issued: UInt64?
        try CBORReader.parse(value, code: .malformedExtension).pairs("the provisioning info") { key, value throws(Rejection) in
            guard key.kind == .unsigned, key.argument == 1, value.kind == .unsigned else { return }
            issued = value.argument
        }
        certificatesIssued = issued
    }
}
