import AssayCore

/// Values of the token that decisions depend on.
package enum PlayVerdict {
    /// The value of an absent verdict.
    static let unevaluated: OpaqueText = "UNEVALUATED"

    static func isUnevaluated(_ value: String?) -> Bool { value.map { OpaqueText($0) == unevaluated } ?? true }

    /// The values of `appRecognitionVerdict` that a policy may allow.
    package enum App: String, CaseIterable, Hashable, Sendable {
        /// Package, certificate and version are those that Google Play distributes.
        case playRecognized = "PLAY_RECOGNIZED"
        /// Google Play does not know the certificate or the package: a changed, side-loaded or debug build.
        case unrecognizedVersion = "UNRECOGNIZED_VERSION"
    }

    /// `deviceRecognitionVerdict`. The meaning of a label depends on the version of Android.
    package enum Device: String, CaseIterable, Hashable, Sendable {
        /// The bootloader may be unlocked, the system uncertified.
        case basic = "MEETS_BASIC_INTEGRITY"
        /// A certified Android behind a locked bootloader.
        case device = "MEETS_DEVICE_INTEGRITY"
        /// The same, proven by hardware; from Android 13 on also a security update within a year.
        case strong = "MEETS_STRONG_INTEGRITY"
        /// The emulator of Google Play Games.
        case virtual = "MEETS_VIRTUAL_INTEGRITY"
    }
}
