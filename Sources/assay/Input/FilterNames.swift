import AssayAPI
import AssayClient
import AssayCore
import AssaySchemes

/// Names in the filters of listings. A misspelt one would show nothing, which looks like good news.
enum FilterNames {
    /// Why a listing by this reason has nothing, if the reason is probably misspelt.
    ///
    /// A plugin may have a code of its own, so that one which is not known is no mistake by itself.
    static func problem(ofReason code: String) -> String? {
        guard !code.isEmpty, ReasonCode(rawValue: code) == nil,
            let meant = Spelling.nearest(to: code, among: ReasonCode.allCases.map(\.rawValue), within: 2)
        else { return nil }
        return "no reason is called \"\(code)\". Did you mean \"\(meant)\"?"
    }

    /// Why nothing has this kind, if the kind is probably misspelt. The daemon may know kinds that this version does not.
    static func problem(ofKind kind: String) -> String? {
        guard !WatchKind.isKnown(kind),
            let meant = Spelling.nearest(
                to: kind, among: WatchKind.all + [WatchKind.verdict, WatchKind.change, WatchKind.device])
        else { return nil }
        return "no event has the kind \"\(kind)\". Did you mean \"\(meant)\"?"
    }

    /// Why nothing has this name, and which names there are.
    static func problem(of name: String, _ noun: String, among known: [String]) -> String? {
        guard !known.contains(name) else { return nil }
        if let meant = Spelling.nearest(to: name, among: known) {
            return "the daemon has no \(noun) \"\(name)\". Did you mean \"\(meant)\"?"
        }
        let list = known.isEmpty ? "it has none" : "it has \(known.sorted().joined(separator: ", "))"
        return "the daemon has no \(noun) \"\(name)\"; \(list)"
    }

    /// Says that a filter names what there is not; throw the result.
    static func failure(_ problem: String, status: Int32 = 64) -> any Error {
        Console.failure("unknown_name", problem, status: status)
    }
}

extension AssayClient {
    /// Why no record is of this app, if the daemon's configuration does not have it. Records of an app outlive it: ask only where there are none.
    func problem(of app: AppID?, timeout: Duration) async throws(AssayError) -> String? {
        guard let app else { return nil }
        return FilterNames.problem(of: app.text, "app", among: try await whoAmI(timeout: timeout).apps)
    }
}
