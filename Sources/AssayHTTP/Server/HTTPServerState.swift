import AssayListening
import AssayRPC

/// The state that all connections of one HTTP server share.
final class HTTPServerState: Sendable {
    let limits: HTTPLimits
    let settings: HTTPSettings
    /// The service behind all fronts, and what this one alone serves.
    let service: RPCService
    let methods: HTTPMethods
    let register: ConnectionRegister
    let resources: [any HTTPResource]
    /// `nil` where it is not served.
    let reflection: Reflection?
    /// Half of the bytes that calls may hold, so that requests which never end leave the other half to whole ones.
    let partialRequests: HeldBytesLimiter
    let unreadAnswers: HeldBytesLimiter
    let timers = TimerWheels()

    init(
        limits: HTTPLimits, settings: HTTPSettings, service: RPCService, register: ConnectionRegister,
        resources: [any HTTPResource], health: HealthRegister
    ) {
        (self.limits, self.settings, self.register) = (limits, settings, register)
        self.resources = resources + (settings.servesOpenAPI ? [OpenAPIResource()] : [])
        self.service = settings.servesHealth ? service.adding(health.methods) : service
        methods = HTTPMethods(self.service)
        reflection =
            settings.servesReflection ? Reflection(services: Self.names(of: self.service) + Reflection.ownServices) : nil
        partialRequests = HeldBytesLimiter(limit: service.state.limits.maxHeldBytesTotal / 2)
        unreadAnswers = HeldBytesLimiter(limit: limits.socket.maxOutboundBytesTotal)
    }

    /// The names of the services whose methods are served, such as `assay.v1.Attestation`.
    private static func names(of service: RPCService) -> [String] {
        var seen: Set<String> = []
        return service.methods.compactMap { method in
            let name = method.path.split(separator: "/").first.map(String.init) ?? ""
            return seen.insert(name).inserted ? name : nil
        }
    }
}
