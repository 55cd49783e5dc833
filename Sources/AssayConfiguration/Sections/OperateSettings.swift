import AssayAPI
import AssayCore
import AssayRPC
import AssaySchemes

/// What of the operations address is answered to peers that are no callers: the part of the section `operate` that a reload replaces.
package struct OperateSettings: Hashable, Sendable {
    package enum Opening: String, CaseIterable, Hashable, Sendable {
        case probes
        case metrics
    }

    /// To peers on this machine.
    package var open: Set<Opening> = []
    /// To all peers that reach an address.
    package var openToTheNetwork: Set<Opening> = []

    package init() {}
}

/// The section `operate`: addresses, which are fixed, and what they answer, which is live.
struct OperateSection {
    var listen: [RPCAddress] = []
    /// Addresses with TLS at which a client may show an API key in place of a certificate.
    var withoutCertificates: Set<RPCAddress> = []
    var settings = OperateSettings()

    /// The address of a section without `listen`.
    private static let usual = RPCAddress.tcp(host: "127.0.0.1", port: 9464)

    /// No section: nothing listens.
    ///
    /// - Parameter knowsCallers: whether all of the callers could be read: who would get an answer is judged only then.
    init(
        reading value: ConfigurationReader.Value?, _ files: ConfigurationFiles, _ callers: CallerDirectory, knowsCallers: Bool
    ) {
        guard let value else { return }
        let section = value.section()
        let (local, network) = (section.optional("open"), section.optional("open_to_the_network"))
        let openings = (local: local.flatMap { $0.openings() }, network: network.flatMap { $0.openings() })
        (settings.open, settings.openToTheNetwork) = (Set(openings.local?.known ?? []), Set(openings.network?.known ?? []))
        // A word that is not known is one problem: what was meant by it may open the address.
        let isMisread =
            !knowsCallers
            || [(local, openings.local), (network, openings.network)].contains { $0 != nil && $1?.isWhole != true }
        let list = section.optional("listen")
        section.done()
        let settings = settings
        let addresses = list.map {
            Configuration.readAddresses($0, files, callers) { value, listen in
                isMisread
                    || value.mayListen(listen.address, by: settings, callers, takesKeys: listen.withoutCertificates)
            }
        }
        listen = addresses?.addresses ?? [Self.usual]
        withoutCertificates = addresses?.withoutCertificates ?? []
        if list == nil, !isMisread { _ = value.mayListen(Self.usual, by: settings, callers) }
        if !settings.openToTheNetwork.isEmpty {
            let words = settings.openToTheNetwork.map(\.rawValue).sorted().joined(separator: " and ")
            network?.warn(
                .operationsOpen, "every peer that reaches an address of \"operate\" gets \(words), without authentication")
        }
    }
}

extension ConfigurationReader.Value {
    /// What the words of the list open, and whether all of them are known.
    fileprivate func openings() -> (known: [OperateSettings.Opening], isWhole: Bool)? {
        list().map { items in
            let known = items.compactMap { $0.choice(["probes": OperateSettings.Opening.probes, "metrics": .metrics]) }
            return (known, known.count == items.count)
        }
    }

    /// Whether the section may have an address: some peer could get an answer there, and none gets one by accident.
    fileprivate func mayListen(
        _ address: RPCAddress, by settings: OperateSettings, _ callers: CallerDirectory, takesKeys: Bool = false
    ) -> Bool {
        let isOpenToAll = !settings.openToTheNetwork.isEmpty || callers.network != nil
        switch address {
        case .unix: break
        case .tls:
            if !callers.knowsCertificates, !isOpenToAll, !takesKeys {
                report(
                    "no peer would get an answer over TLS: no caller has a \"uri\" or a \"dns\" name; want one, \"client_certificates: optional\" for API keys, or \"open_to_the_network\""
                )
            }
        case .tcp(let host, _):
            let isLoopback = Loopback.contains(host)
            guard isLoopback || isOpenToAll else {
                report(
                    "it is not on loopback, and without TLS callers are not recognised; want \"tls\", or \"open_to_the_network\" for what everyone may see"
                )
                return false
            }
            if callers.loopback == nil, settings.open.isEmpty, !isOpenToAll {
                report(
                    "no peer would get an answer over TCP, where callers are not recognised; want \"open: [probes, metrics]\" for what processes of this machine may see"
                )
            }
        }
        return true
    }
}
