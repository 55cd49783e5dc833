import AssayConfiguration
import AssayCore
import AssayFramedRPC
import AssayMetrics
import AssayOperations
import AssayRPC
import AssayService
import AssayTesting
import AssayTraceExport
import AssayVendors
import ServiceLifecycle
import Testing

@testable import AssayDaemon
@testable import DaemonTesting

/// The parts of a daemon, by what they say of themselves and what they hold.
@Suite("The parts of the daemon")
struct DaemonPartTests {
    /// A composed daemon with TLS, so that it has a step for its certificates. It does not listen.
    private func withDaemon(_ body: (Daemon) throws -> Void) async throws {
        let tls = try TLSHome()
        let daemon = try await makeDaemon(
            try Configuration.load(tls.home.configuration), ledger: MemoryLedger(),
            vault: SecretVault(key: [UInt8](repeating: 1, count: 32)), logger: .silent)
        defer { withExtendedLifetime(tls) { daemon.vendors.close() } }
        try body(daemon)
    }

    /// The objects that a part holds: in its properties, and in those of what the methods keep.
    private func objects(of value: Any) -> [AnyObject] {
        Mirror(reflecting: value).children.flatMap { objects(in: $0.value) }
    }

    private func objects(in value: Any) -> [AnyObject] {
        if type(of: value) is AnyClass { return [value as AnyObject] }
        if value is KeptByMethods { return objects(of: value) }
        return switch Mirror(reflecting: value).displayStyle {
        case .optional, .collection: objects(of: value)
        default: []
        }
    }

    /// Which of the values are objects, by their identity.
    private func identities(_ values: [Any]) -> [ObjectIdentifier] {
        values.flatMap { objects(in: $0) }.map { ObjectIdentifier($0) }
    }

    private func names(_ values: [Any]) -> [String] { values.map { "\(type(of: $0))" } }

    @Test("Every part of a daemon is in the order in which the parts start, once")
    func complete() async throws {
        try await withDaemon { daemon in
            let kept = Mirror(reflecting: daemon.parts).children.compactMap { $0.value as? any DaemonPart }
            #expect(kept.count > 10)
            #expect(names(daemon.all).sorted() == (names(kept) + ["MethodsPart", "OperationsPart"]).sorted())
        }
    }

    @Test("A part says of everything it holds that it runs, is measured and is maintained")
    func honest() async throws {
        try await withDaemon { daemon in
            var found = (services: 0, collectors: 0, tasks: 0)
            for part in daemon.all {
                let (services, collectors) = (identities(part.services), identities(part.collectors))
                let tasks = identities(part.maintenanceTasks)
                for object in objects(of: part) {
                    let (id, name) = (ObjectIdentifier(object), "\(type(of: object)) of \(type(of: part))")
                    if object is any Service {
                        found.services += 1
                        #expect(services.contains(id), "\(name) does not run")
                    }
                    if object is any MetricsCollector {
                        found.collectors += 1
                        #expect(collectors.contains(id), "\(name) is not measured")
                    }
                    if object is any MaintenanceTask {
                        found.tasks += 1
                        #expect(tasks.contains(id), "\(name) is not maintained")
                    }
                }
            }
            // What is looked for is found: the exporter, the client, the recorder and others.
            #expect(found.services >= 10 && found.collectors >= 10 && found.tasks >= 8, "\(found)")
        }
    }

    @Test("No service, collector, maintenance task or reload step is there twice")
    func once() async throws {
        try await withDaemon { daemon in
            for values in [
                daemon.services as [Any], daemon.all.flatMap(\.collectors) as [Any],
                daemon.all.flatMap(\.maintenanceTasks) as [Any],
            ] {
                let objects = identities(values)
                #expect(Set(objects).count == objects.count, "\(names(values))")
            }
            let steps = daemon.reloadSteps.map(\.name)
            #expect(Set(steps).count == steps.count, "\(steps)")
            #expect(steps.contains("certificates"))
        }
    }

    @Test("The traces end last and the server stops first; the plugins, vendors and webhooks end after those who use them")
    func order() async throws {
        try await withDaemon { daemon in
            let services = daemon.services
            #expect(services.first is SpanExporter)
            #expect(services.last is RPCServer)
            func position<S: Service>(_ type: S.Type) throws -> Int {
                try #require(services.firstIndex { $0 is S }, "\(type) does not run")
            }
            // Maintenance concludes once no caller is served any more.
            #expect(try position(MaintenanceService.self) == services.count - 2)
            let (operations, plugins) = (try position(OperationsServer.self), try position(PluginProcesses.self))
            #expect(operations < plugins)
            let client = try position(VendorClient.self)
            #expect(plugins < client)
            for user in [try position(ReceiptExchanger.self), try position(RevocationFeed.self)] { #expect(client < user) }
            let webhooks = try position(WebhookService.self)
            for publisher in [try position(ChangeTail.self), try position(Reappraisal.self)] { #expect(webhooks < publisher) }
        }
    }

    @Test("A reload prepares the plugins before the methods, which refer to them")
    func reloadOrder() async throws {
        try await withDaemon { daemon in
            let steps = daemon.reloadSteps.map(\.name)
            let plugins = try #require(steps.firstIndex(of: "plugins"))
            let methods = try #require(steps.firstIndex(of: "callers, apps and anchors"))
            #expect(plugins < methods, "\(steps)")
        }
    }

    @Test("A scrape has what every part measures")
    func measured() async throws {
        try await withDaemon { daemon in
            let collectors = names(daemon.all.flatMap(\.collectors))
            #expect(names(daemon.parts.collectors(daemon.methods)).sorted() == collectors.sorted())
            let scraped = Set(daemon.observation.families.map(\.name))
            #expect(scraped.isSuperset(of: daemon.all.flatMap(\.collectors).flatMap(\.metricFamilies).map(\.name)))
        }
    }
}
