import ArgumentParser
import AssayAPI
import AssayClient
import AssayCore

/// Names in the filters of listings. A misspelt one would show nothing, which looks like good news.
enum FilterNames {
    /// Throws where a listing by this reason has nothing because the reason is probably misspelt.
    ///
    /// A plugin may have a code of its own, so that one which is not known is no mistake by itself.
    static func check(reason code: String) throws {
        guard !code.isEmpty, ReasonCode(rawValue: code) == nil, let meant = ReasonCode.meant(by: code) else { return }
        throw ValidationError("No reason is called \"\(code)\". Did you mean \"\(meant.rawValue)\"?")
    }

    /// Throws where nothing has this kind because the kind is probably misspelt. The daemon may know kinds that this version does not.
    static func check(kind: String) throws {
        let known = WatchKind.all + [WatchKind.verdict, WatchKind.change, WatchKind.device]
        guard !known.contains(kind), let meant = Spelling.nearest(to: kind, among: known) else { return }
        throw ValidationError("No event has the kind \"\(kind)\". Did you mean \"\(meant)\"?")
    }
}

extension AssayClient {
    /// Throws if the daemon's configuration does not have the app. Records outlive their app: ask only where there are none.
    func requireApp(_ app: AppID?, timeout: Duration) async throws(AssayError) {
        guard let app else { return }
        let known = try await whoAmI(timeout: timeout).apps
        guard !known.contains(app.text) else { return }
        throw .unknown("app", app.text, among: known, reason: "unknown_app")
    }
}

extension AssayError {
    /// What is named does not exist.
    static func unknown(_ noun: String, _ name: String, among known: [String], reason: String) -> AssayError {
        let hint =
            Spelling.nearest(to: name, among: known).map { "; did you mean \"\($0)\"?" }
            ?? (known.isEmpty ? "; there is none" : "; there are \(known.sorted().joined(separator: ", "))")
        return AssayError(.notFound, "the daemon has no \(noun) \"\(name)\"\(hint)", reason: reason)
    }
}
