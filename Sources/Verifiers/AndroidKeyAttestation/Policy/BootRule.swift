import AssayCore

/// The required state of the boot, by the root of trust that the hardware states.
package struct BootRule: Hashable, Sendable {
    package var states: Set<RootOfTrust.BootState>
    /// False accepts devices with an unlocked bootloader, for development: with the assurance of software, since the system
    /// that names the app is not verified.
    package var requiresLocked: Bool
    /// Digests of the keys that may verify a system in the state SelfSigned.
    package var selfSignedKeys: Set<[UInt8]>
    /// Digests of keys that are refused in every state.
    package var deniedKeys: Set<[UInt8]>
    /// Test keys, whose private keys are public, that may verify a system nevertheless: for emulators and development.
    package var allowedTestKeys: Set<PublicTestKey>

    package init(
        states: Set<RootOfTrust.BootState> = [.verified], requiresLocked: Bool = true, selfSignedKeys: Set<[UInt8]> = [],
        deniedKeys: Set<[UInt8]> = [], allowedTestKeys: Set<PublicTestKey> = []
    ) {
        self.states = states
        self.requiresLocked = requiresLocked
        self.selfSignedKeys = selfSignedKeys
        self.deniedKeys = deniedKeys
        self.allowedTestKeys = allowedTestKeys
    }

    func judge(_ facts: KeyFacts, in appraisal: inout Appraisal) throws(Rejection) {
        let root = try appraisal.check("root_of_trust") { () throws(Rejection) in
            guard let root = facts.trusted.rootOfTrust else {
                throw Rejection(.rootOfTrustMissing, "the hardware tells no root of trust")
            }
            return root
        }
        if facts.level > .software, facts.softwareEnforced.rootOfTrust != nil {
            appraisal.note("root_of_trust", "told_twice", "software tells a root of trust too, which is not looked at")
        }
        if requiresLocked {
            try appraisal.require("device_locked", root.isLocked, else: .bootloaderUnlocked, "the bootloader is unlocked")
        } else if root.isLocked {
            appraisal.findings.append(.pass("device_locked"))
        } else {
            appraisal.note("device_locked", "unlocked", "the bootloader is unlocked, which the app allows")
        }
        try appraisal.require(
            "verified_boot", states.contains(root.state), else: .bootState,
            "the state of verified boot is \(root.state.name), allowed: \(states.map(\.name).sorted().joined(separator: ", "))")
        try appraisal.check("boot_key") { () throws(Rejection) in
            guard !deniedKeys.contains(root.bootKey) else {
                throw Rejection(.bootKey, "the boot key \(Hex.short(root.bootKey)) is one that the app refuses")
            }
            if let key = PublicTestKey(digest: root.bootKey), !allowedTestKeys.contains(key) {
                throw Rejection(.bootKeyDenied, "the boot key is \(key.rawValue), whose private key is public")
            }
            guard root.state != .selfSigned || selfSignedKeys.contains(root.bootKey) else {
                throw Rejection(
                    .bootKey,
                    "the boot key \([root.bootKey].shownShort(beside: selfSignedKeys)) is the device's own and not on the app's list: "
                        + selfSignedKeys.shownShort(beside: [root.bootKey])
                )
            }
        }
    }
}

/// Keys of Android Verified Boot whose private keys are published in Android's sources (AOSP `external/avb/test/data`). Devices
/// have been sold that boot systems signed with them: locked, in the state Verified, and open to changes by anyone.
package enum PublicTestKey: String, CaseIterable, Hashable, Sendable {
    case rsa2048 = "testkey_rsa2048"
    /// The default key of `make` for products that name none.
    case rsa4096 = "testkey_rsa4096"
    case rsa8192 = "testkey_rsa8192"

    /// The key's digest in a root of trust: SHA-256 over the `AvbRSAPublicKeyHeader` and its numbers, which are the bits of the
    /// modulus n and -1/n mod 2³², 32 bits each, then n and 2^(2 · bits) mod n; all big-endian (libavb, `avb_crypto.h`).
    /// Computed from the public keys; a test of libavb and the output of avbtool state the same digests.
    package var digest: [UInt8] { Hex.decode(hexadecimal) ?? [] }

    private var hexadecimal: String {
        switch self {
        case .rsa2048: "22de3994532196f61c039e90260d78a93a4c57362c7e789be928036e80b77c8c"
        case .rsa4096: "7728e30f50bfa5cea165f473175a08803f6a8346642b5aa10913e9d9e6defef6"
        case .rsa8192: "e15e2365469ce672a91d02cc8d9c2f29b787481e574d3b56ac774153d7ced614"
        }
    }

    package init?(digest: [UInt8]) {
        guard let key = Self.byDigest[digest] else { return nil }
        self = key
    }

    private static let byDigest = Dictionary(uniqueKeysWithValues: allCases.map { ($0.digest, $0) })
}
