/// What the HTTP server serves beside the calls, and whom it believes about a client's address.
package struct HTTPSettings: Hashable, Sendable {
    /// `grpc.health.v1.Health`, which any peer may ask that may connect.
    package var servesHealth = true
    /// `grpc.reflection.v1.ServerReflection` and its older name: the schema of the API, to any peer that may connect.
    package var servesReflection = false
    /// `GET /openapi.json`: the schema of the JSON, to any peer that may connect.
    package var servesOpenAPI = false
    /// Peers that pass on the address of their client (`forwarded`, `x-forwarded-for`). By default there is none.
    package var trustedProxies = TrustedProxies()

    package init() {}
}
