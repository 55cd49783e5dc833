import AssayCore
package import AssaySchemes

/// A service outside of the machine that the daemon asks, and for which apps.
package struct OutsideService: Hashable, Sendable {
    package let call: ServiceCall
    package var apps: [String]

    package var description: String { "asks \(call.address) for \(call.purpose.words) (\(apps.joined(separator: ", ")))" }
}

extension LiveConfiguration {
    /// Every service outside that is asked, in the order of the apps that need it. Nothing else is called.
    package var outsideServices: [OutsideService] {
        var services: [OutsideService] = []
        for app in apps {
            for call in app.sections.flatMap(\.section.serviceCalls) {
                if let known = services.firstIndex(where: { $0.call == call }) {
                    if !services[known].apps.contains(app.id.text) { services[known].apps.append(app.id.text) }
                } else {
                    services.append(OutsideService(call: call, apps: [app.id.text]))
                }
            }
        }
        return services
    }
}
