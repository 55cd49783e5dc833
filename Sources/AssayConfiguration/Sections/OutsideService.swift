import AppAttest
import AssayCore
import AssayVendors

/// A service outside of the machine that the daemon asks, and for which apps.
package struct OutsideService: Hashable, Sendable {
    /// What is asked for. Raw values are a contract (`assayd check-config --json`).
    package enum Purpose: String, Sendable {
        case revocationList = "revocation_list"
        case receiptExchange = "receipt_exchange"
        case deviceCheck = "device_check"
        case playIntegrity = "play_integrity"
        case googleAccess = "google_access"

        var words: String {
            switch self {
            case .revocationList: "the list of revoked attestation certificates"
            case .receiptExchange: "newer App Attest receipts"
            case .deviceCheck: "what DeviceCheck tokens say"
            case .playIntegrity: "what Play Integrity tokens say"
            case .googleAccess: "bearer tokens for Google's services"
            }
        }
    }

    package let address: String
    package let purpose: Purpose
    package var apps: [String]

    package var description: String { "asks \(address) for \(purpose.words) (\(apps.joined(separator: ", ")))" }
}

extension Configuration {
    /// Every service outside that is asked, in the order of the apps that need it. Nothing else is called.
    package var outsideServices: [OutsideService] {
        var services: [OutsideService] = []
        func asks(_ address: String, _ purpose: OutsideService.Purpose, for app: App) {
            if let known = services.firstIndex(where: { $0.address == address && $0.purpose == purpose }) {
                if !services[known].apps.contains(app.id.text) { services[known].apps.append(app.id.text) }
            } else {
                services.append(OutsideService(address: address, purpose: purpose, apps: [app.id.text]))
            }
        }
        for app in apps {
            if case .google? = app.android?.revocation {
                asks(feeds.attestationStatus.address.description + Feeds.AttestationStatus.path, .revocationList, for: app)
            }
            if let section = app.appAttest, section.exchange != nil {
                for environment in AppAttestEnvironment.allCases
                where section.identities.contains(where: { $0.environments.contains(environment) }) {
                    asks(apple.receipts[environment].description, .receiptExchange, for: app)
                }
            }
            if let section = app.deviceCheck { asks(section.address.description, .deviceCheck, for: app) }
            if app.playIntegrity?.google != nil {
                asks(google.oauth.description, .googleAccess, for: app)
                asks(google.playIntegrity.description, .playIntegrity, for: app)
            }
        }
        return services
    }
}
