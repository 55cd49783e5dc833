import AssayCertificates
import AssayCore
import AssayEncoding
import Synchronization

/// What is the same in the extensions of all certificates of a profile.
struct ProfileExtensions: Sendable {
    private let purposes: [KeyPurpose]
    private let arc: ExtensionArc
    /// Those before the key identifiers.
    let leading: [ExtensionDraft]
    /// The object identifier of Assay's own extension.
    let statement: OID

    /// Throws `.impossible` for an arc that cannot be written.
    init(_ profile: CertificateProfile) throws(AuthorityError) {
        (purposes, arc) = (profile.keyPurposes, profile.extensionArc)
        leading =
            [.endEntity, .keyUsage(.digitalSignature)] + (purposes.isEmpty ? [] : [.extendedKeyUsage(profile.keyPurposes)])
        statement = try DeviceStatement.identifier(profile.extensionArc, 1)
    }

    /// Whether they are those of a profile. All of them follow from its purposes and its arc, which are digits.
    fileprivate func isOf(_ profile: CertificateProfile) -> Bool {
        profile.keyPurposes == purposes && profile.extensionArc == arc
    }
}

/// The extensions of the profiles that certificates are issued under, each made once: reading object identifiers from their digits costs as
/// much as a part of a signature.
final class ProfileMemory: Sendable {
    /// The most profiles, of which a configuration has one for each app. Beyond it all are forgotten.
    static let limit = 16

    private let known = Mutex<[ProfileExtensions]>([])

    func extensions(of profile: CertificateProfile) throws(AuthorityError) -> ProfileExtensions {
        if let found = known.withLock({ known in known.first { $0.isOf(profile) } }) { return found }
        let made = try ProfileExtensions(profile)
        known.withLock { known in
            if known.count >= Self.limit { known.removeAll() }
            known.append(made)
        }
        return made
    }
}
