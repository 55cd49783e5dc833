import AsyncHTTPClient
import NIOHTTP1

/// The connections under one set of settings. Each call keeps a reference, so that the connections close after their last call,
/// also if the settings were replaced meanwhile.
final class VendorSession: Sendable {
    let settings: VendorSettings
    private let connections: HTTPConnections

    /// Throws a `NIOSSLError` if the extra roots are not PEM.
    init(_ settings: VendorSettings) throws {
        self.settings = settings
        connections = try HTTPConnections(
            .additional(settings.extraRoots), connectMilliseconds: settings.connectMilliseconds, perHost: settings.callLimit)
    }

    func call(_ request: VendorRequest, at address: VendorAddress) async throws(VendorError) -> VendorAnswer {
        var outgoing = HTTPClientRequest(url: address.url + request.path)
        outgoing.method = HTTPMethod(rawValue: request.method.rawValue)
        outgoing.headers.add(name: "user-agent", value: "assay")
        for (name, value) in request.headers { outgoing.headers.add(name: name, value: value) }
        if !request.body.isEmpty { outgoing.body = .bytes(request.body) }
        do {
            let answer = try await connections.exchange(
                outgoing, to: address.name, within: .milliseconds(settings.totalMilliseconds), answerLimit: settings.answerLimit
            )
            return VendorAnswer(
                status: answer.status, headers: VendorAnswer.Headers(answer.headers), body: answer.body)
        } catch {
            throw VendorError(error, host: address.host, limits: settings)
        }
    }
}

extension VendorAnswer.Headers {
    fileprivate init(_ headers: HTTPHeaders) {
        self.init()
        func value(_ name: String) -> String? {
            headers.first(name: name).flatMap { $0.utf8.count <= Self.lengthLimit ? $0 : nil }
        }
        cacheControl = value("cache-control")
        eTag = value("etag")
        age = value("age")
        lastModified = value("last-modified")
        retryAfter = value("retry-after")
        date = value("date")
    }
}
