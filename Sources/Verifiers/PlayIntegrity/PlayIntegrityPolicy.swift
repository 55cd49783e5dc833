package import AssayCore

/// An app's requirements on a token, beyond that it is genuine and belongs to the app.
package struct PlayIntegrityPolicy: Hashable, Sendable {
    /// The default greatest age of a token, in milliseconds.
    package static let usualAge: Int64 = 300_000
    /// How far Google's clock may be ahead, in milliseconds.
    package static let skew: Int64 = 60_000

    package var kinds: Set<PlayRequestKind>
    package var maxAgeMilliseconds: Int64
    package var appVerdicts: Set<PlayVerdict.App>
    /// The token must have one of these labels.
    package var deviceVerdicts: Set<PlayVerdict.Device>
    /// The lowest version code of the app; `nil`: any.
    package var minVersionCode: Int64?
    /// The lowest API level of the system; `nil`: any. The meaning of the labels depends on it.
    package var minSDKVersion: Int64?
    /// Reactions that differ from the default.
    package var reactions: [PlaySignal: [OpaqueText: PlaySignal.Reaction]]

    package init(
        kinds: Set<PlayRequestKind> = [.classic, .standard], maxAgeMilliseconds: Int64 = Self.usualAge,
        appVerdicts: Set<PlayVerdict.App> = [.playRecognized], deviceVerdicts: Set<PlayVerdict.Device> = [.device],
        minVersionCode: Int64? = nil, minSDKVersion: Int64? = nil,
        reactions: [PlaySignal: [OpaqueText: PlaySignal.Reaction]] = [:]
    ) {
        self.kinds = kinds
        self.maxAgeMilliseconds = maxAgeMilliseconds
        self.appVerdicts = appVerdicts
        self.deviceVerdicts = deviceVerdicts
        self.minVersionCode = minVersionCode
        self.minSDKVersion = minSDKVersion
        self.reactions = reactions
    }

    /// How long after its acceptance a token can be accepted again, in milliseconds: Google's clock may have been ahead.
    package var acceptableFor: Int64 { maxAgeMilliseconds + Self.skew }

    /// A signal's values, each with its reaction.
    package func reactions(to signal: PlaySignal) -> [OpaqueText: PlaySignal.Reaction] {
        signal.usualReactions.merging(reactions[signal] ?? [:]) { _, own in own }
    }
}

/// The app that a token must belong to.
package struct PlayIntegrityIdentity: Hashable, Sendable {
    /// Names of the app's packages: ASCII, in which equal texts have equal bytes.
    package let packages: Set<String>  // not text from outside
    /// SHA-256 of the certificates that sign it, 32 bytes each: with Play App Signing, of Google's app signing certificate, not
    /// of the upload key's. `nil`: not checked; a configuration always names some.
    package let signers: Set<[UInt8]>?

    package init(packages: Set<String>, signers: Set<[UInt8]>?) {  // not text from outside
        (self.packages, self.signers) = (packages, signers)
    }

    /// Names are compared as bytes: a look-alike or a Unicode equivalent is another package.
    func isPackage(_ name: String?) -> Bool { name.map { Self.contains(packages, $0) } ?? false }

    static func contains(_ packages: some Sequence<String>, _ name: String) -> Bool {
        packages.contains { $0.utf8.elementsEqual(name.utf8) }
    }
}
