import AssayCertificates
import AssayCore
import AssayEncoding
import Synchronization

/// What is the same in the extensions of all certificates that a CA issues under a profile.
struct ProfileExtensions: Sendable {
    private let purposes: [KeyPurpose]
    private let arc: ExtensionArc
    private let fleetArc: ExtensionArc?
    /// Those before the key identifiers, encoded.
    let leading: [UInt8]
    /// The authorityKeyIdentifier, encoded.
    let authorityKey: [UInt8]
    /// The object identifier of Assay's own extension.
    let statement: OID
    /// The object identifiers of a fleet's extensions, `arc.1` to `arc.6`; empty for other devices.
    let fleet: [OID]

    /// Throws `.impossible` for an arc that cannot be written, and where two extensions would have one name.
    init(
        _ profile: CertificateProfile, fleet fleetArc: ExtensionArc?, authorityKey: [UInt8]
    ) throws(AuthorityError) {
        (purposes, arc, self.fleetArc) = (profile.keyPurposes, profile.extensionArc, fleetArc)
        var leading = CertificateExtensions()
        leading.addEndEntity()
        leading.addKeyUsage(.digitalSignature)
        if !purposes.isEmpty { leading.addExtendedKeyUsage(purposes) }
        var authority = CertificateExtensions()
        authority.addAuthorityKey(authorityKey)
        (self.leading, self.authorityKey) = (leading.encoded.octets, authority.encoded.octets)
        statement = try Self.identifier(arc, 1)
        var fleet: [OID] = []
        if let fleetArc {
            for number in 1...FleetStatement.extensionCount { fleet.append(try Self.identifier(fleetArc, number)) }
        }
        self.fleet = fleet
        guard
            Set(CertificateExtensions.standard + [statement] + fleet).count == CertificateExtensions.standard.count + 1
                + fleet.count
        else { throw .impossible("two of its extensions have one object identifier") }
    }

    private static func identifier(_ arc: ExtensionArc, _ last: UInt128) throws(AuthorityError) -> OID {
        guard let identifier = OID(arcs: arc.numbers + [last]) else { throw .impossible("its extension arc is none") }
        return identifier
    }

    /// Whether they are those of a profile. All of them follow from its purposes and its arcs.
    fileprivate func isOf(_ profile: CertificateProfile, fleet: ExtensionArc?) -> Bool {
        profile.keyPurposes == purposes && profile.extensionArc == arc && fleet == fleetArc
    }
}

/// The extensions of the profiles that a CA's certificates are issued under, each made once: reading object identifiers from their digits costs as
/// much as a part of a signature.
final class ProfileMemory: Sendable {
    /// The most profiles, of which a configuration has one for each app. Beyond it all are forgotten.
    static let limit = 16

    private let authorityKey: [UInt8]
    private let known = Mutex<[ProfileExtensions]>([])

    /// - Parameter authorityKey: the key identifier of the CA.
    init(authorityKey: [UInt8]) { self.authorityKey = authorityKey }

    /// - Parameter fleet: the arc of the extensions that a certificate of a fleet's device has.
    func extensions(
        of profile: CertificateProfile, fleet: ExtensionArc?
    ) throws(AuthorityError) -> ProfileExtensions {
        if let found = known.withLock({ known in known.first { $0.isOf(profile, fleet: fleet) } }) { return found }
        let made = try ProfileExtensions(profile, fleet: fleet, authorityKey: authorityKey)
        known.withLock { known in
            if known.count >= Self.limit { known.removeAll() }
            known.append(made)
        }
        return made
    }
}
