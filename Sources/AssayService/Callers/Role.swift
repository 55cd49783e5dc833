/// What a caller may do. Every method declares the roles that may call it; the default is none.
package enum Role: String, CaseIterable, Hashable, Sendable {
    /// Ask for challenges and verdicts.
    case verify
    /// Ask for what leads to a device certificate.
    case provision
    /// Read and change device records.
    case devices
    /// Change how the daemon runs.
    case operate
    /// Watch how the daemon runs.
    case observe
}
