import AssayCore
import AssayHTTP
import AssayRPC
import AssayResults
import AssayService

/// The status lists over HTTP, at the addresses that results name (draft-ietf-oauth-status-list §8): `/v1/status/` and the list's number, below
/// `/simulated` for results about simulated devices. `Accept` chooses between the JWT, which is the default, and the CWT.
///
/// They are public, as those who check results are not callers: any peer gets them, and any web page may read them. What is served was signed
/// before it is asked for.
struct StatusListFiles: HTTPResource {
    private let publisher: StatusListPublisher
    private let clock: any WallClock

    init(publisher: StatusListPublisher, clock: any WallClock) { (self.publisher, self.clock) = (publisher, clock) }

    func serves(_ path: String) -> Bool { StatusListAddress.parse(path) != nil }

    func file(_ request: HTTPFileRequest) async throws(HTTPFileRefusal) -> HTTPFile? {
        guard let (list, issuer) = StatusListAddress.parse(request.path) else { return nil }
        guard !Self.asksForTime(request.query) else { throw .earlierTime }
        let type = AcceptedTypes(request.accept).best(of: StatusListForm.allCases.map(\.mediaType))
        guard let form = StatusListForm.allCases.first(where: { $0.mediaType == type }) else { throw .noForm }
        switch await publisher.find(list, of: issuer) {
        case .list(let published): return file(published, form)
        case .unknownIssuer, .unknownList: return nil
        case .unavailable: throw .noList
        }
    }

    private func file(_ published: PublishedStatusList, _ form: StatusListForm) -> HTTPFile {
        let token = published.token(form)
        var file = HTTPFile(
            contentType: form.mediaType, body: token.bytes, etag: token.tag,
            maxAge: .seconds(published.cacheLifetime(at: clock.now())))
        (file.isForEveryOrigin, file.dependsOnAccept) = (true, true)
        return file
    }

    /// Whether the list of another time is asked for, which is not kept (§8.4).
    private static func asksForTime(_ query: String) -> Bool {
        query.split(separator: "&").contains { $0.prefix { $0 != "=" }.utf8.elementsEqual("time".utf8) }
    }
}

extension HTTPFileRefusal {
    fileprivate static let earlierTime = HTTPFileRefusal(
        501, RPCError(.unimplemented, "the lists of earlier times are not kept", reason: "status_list_of_earlier_time"))
    fileprivate static let noForm = HTTPFileRefusal(
        406,
        RPCError(
            .unimplemented, "a status list is \(StatusListForm.allCases.map(\.mediaType).joined(separator: " or "))",
            reason: "not_acceptable"))
    fileprivate static let noList = HTTPFileRefusal(503, .statusListUnavailable)
}
