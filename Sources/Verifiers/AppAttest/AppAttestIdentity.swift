package import AssayCore
import AssayEncoding
import Crypto

/// An app that may attest: its App ID on one platform, and its accepted environments.
package struct AppAttestIdentity: Hashable, Sendable {
    package enum Platform: String, CaseIterable, Hashable, Sendable {
        /// Also iPadOS, tvOS, watchOS and visionOS.
        case iOS = "ios"
        /// macOS 27 and later: the key's access control list is checked too.
        case macOS = "macos"

        /// `nil` for a Mac, whose captures no profile of confidence describes.
        var device: DevicePlatform? { self == .iOS ? .iOS : nil }
    }

    package let platform: Platform
    /// `PREFIX.bundle.id`, as configured; `nil` if only its hash is known. The prefix is usually the team, not always. An App
    /// Clip attests with the App ID of the full app; a Mac app is reported to use its code-signing identifier.
    package let appID: String?
    /// SHA-256 of the App ID's UTF-8, 32 bytes.
    package let rpIDHash: [UInt8]
    package let environments: Set<AppAttestEnvironment>

    package init(appID: String, platform: Platform, environments: Set<AppAttestEnvironment> = [.production]) {
        self.platform = platform
        self.appID = appID
        rpIDHash = Array(SHA256.hash(data: Array(appID.utf8)))
        self.environments = environments
    }

    /// An identity of which only the hash is known. `nil` unless the hash has 32 bytes.
    package init?(rpIDHash: [UInt8], platform: Platform, environments: Set<AppAttestEnvironment> = [.production]) {
        guard rpIDHash.count == SHA256.byteCount else { return nil }
        self.platform = platform
        appID = nil
        self.rpIDHash = rpIDHash
        self.environments = environments
    }

    package func describe(in policy: inout PolicyText) {
        policy.add("app_id", hashed: rpIDHash, shown: shown)
        policy.add("platform", hashed: "\(platform)", shown: platform.rawValue)
        policy.add("environments", list: environments.map { "\($0)" }.sorted())
    }

    /// The App ID, or its hash where only this is known.
    var shown: String { appID ?? "SHA-256 \(Hex.encode(rpIDHash))" }

    fileprivate init(_ first: AppAttestIdentity, and second: AppAttestIdentity) {
        platform = first.platform
        appID = first.appID ?? second.appID
        rpIDHash = first.rpIDHash
        environments = first.environments.union(second.environments)
    }
}

extension [AppAttestIdentity] {
    /// One identity for each App ID and platform. If a list names one twice, the union of what they allow is allowed.
    var merged: [AppAttestIdentity] {
        reduce(into: []) { merged, next in
            let index = merged.firstIndex { $0.rpIDHash == next.rpIDHash && $0.platform == next.platform }
            if let index {
                merged[index] = AppAttestIdentity(merged[index], and: next)
            } else {
                merged.append(next)
            }
        }
    }

    /// The App IDs for a sentence, or their hashes where only these are known.
    var shown: String {
        let names = map(\.shown)
        return names.prefix(4).joined(separator: ", ") + (names.count > 4 ? " and \(names.count - 4) more" : "")
    }

    /// The identity that an attestation names. The evidence does not distinguish the platforms of one App ID with certainty: if
    /// both are configured, the stricter rules of macOS apply to both.
    func named(_ rpIDHash: ArraySlice<UInt8>) -> AppAttestIdentity? {
        var named: AppAttestIdentity?
        for identity in self where rpIDHash.equals(identity.rpIDHash[...]) {
            if identity.platform == .macOS { return identity }
            named = named ?? identity
        }
        return named
    }
}

extension Set<AppAttestEnvironment> {
    /// For a sentence.
    var shown: String { map(\.rawValue).sorted().joined(separator: ", ") }
}

/// Which of Apple's two services attested the key.
package enum AppAttestEnvironment: String, CaseIterable, Hashable, Sendable {
    case development
    case production

    /// From the 16 bytes of the AAGUID: ASCII `appattestdevelop`, or `appattest` and seven zero bytes. Other values are
    /// rejected, also the `appattestsandbox` of one of Apple's pages: no genuine object has it.
    init?(aaguid: ArraySlice<UInt8>) {
        if aaguid.elementsEqual("appattestdevelop".utf8) {
            self = .development
        } else if aaguid.elementsEqual("appattest\0\0\0\0\0\0\0".utf8) {
            self = .production
        } else {
            return nil
        }
    }
}
