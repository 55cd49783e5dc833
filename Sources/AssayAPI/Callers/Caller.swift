package import AssayCore

/// A relying party of the configuration: its name in the audit log, its roles and its apps.
package final class Caller: Sendable {
    package let name: String
    package let roles: Set<Role>
    /// `nil`: every app.
    package let apps: Set<AppID>?

    package init(name: String, roles: Set<Role>, apps: Set<AppID>?) {
        (self.name, self.roles, self.apps) = (name, roles, apps)
    }

    package func may(use app: AppID) -> Bool { apps?.contains(app) ?? true }
}

extension Caller: Equatable {
    package static func == (a: Caller, b: Caller) -> Bool { a.name == b.name && a.roles == b.roles && a.apps == b.apps }
}
