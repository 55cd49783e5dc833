package import AssayCore

/// The apps of the configuration.
package struct AppDirectory: Sendable {
    private let profiles: [AppID: AppProfile]

    package init(_ profiles: [AppProfile]) {
        self.profiles = Dictionary(profiles.map { ($0.id, $0) }, uniquingKeysWith: { _, last in last })
    }

    package subscript(app: AppID) -> AppProfile? { profiles[app] }

    /// By name.
    package var all: [AppProfile] { profiles.values.sorted { $0.id.text < $1.id.text } }
}
