import AssayAPI
import AssayCore
import AssayRPC
import Foundation
import SwiftProtobuf

/// `assay.v1.Plugins`: the plugins of the catalog.
package struct PluginsService: Sendable {
    private let control: any PluginControl
    private let requestLog: RequestLog

    package init(_ control: any PluginControl, requestLog: RequestLog) {
        (self.control, self.requestLog) = (control, requestLog)
    }

    package var methods: [MethodBody] {
        [
            .unary(API.listPlugins) { caller, _ in
                .with { $0.plugins = control.plugins().shown(to: caller) }
            },
            .unary(API.enablePlugin) { caller, request in
                try await change("enabled a plugin", request.id, by: caller, control.enable)
            },
            .unary(API.disablePlugin) { caller, request in
                try await change("disabled a plugin", request.id, by: caller, control.disable)
            },
            .unary(API.reloadPlugins, reload),
            .unary(API.listQuarantine, list),
            .unary(API.readQuarantine) { _, request in
                guard let evidence = control.quarantined(Array(request.digest)) else { throw RPCError.notQuarantined }
                return evidence
            },
            .unary(API.releaseQuarantine, release),
        ]
    }

    private func plugin(_ id: String) throws(RPCError) -> Assay_V1_Plugin {
        guard let plugin = control.plugins().first(where: { $0.id == id }) else {
            let known = control.plugins().map(\.id)
            throw RPCError(
                .notFound,
                "the catalog has no plugin with this id" + (known.isEmpty ? "" : "; it has \(known.joined(separator: ", "))"),
                reason: "unknown_plugin")
        }
        return plugin
    }

    private func change(
        _ what: String, _ id: String, by caller: Caller, _ body: (String) async throws -> Void
    ) async throws -> Assay_V1_Plugin {
        _ = try plugin(id)
        try await body(id)
        requestLog.changed(what, by: caller, ["plugin": id])
        return try plugin(id)
    }

    private func reload(
        _ caller: Caller, _ request: Assay_V1_ReloadPluginsRequest
    ) async throws(RPCError) -> Assay_V1_ListPluginsResponse {
        if let problem = await control.reload(by: caller.name) {
            throw RPCError(.failedPrecondition, problem, reason: "reload_refused")
        }
        requestLog.changed("reloaded the configuration", by: caller, [:])
        return .with { $0.plugins = control.plugins() }
    }

    private func list(
        _ caller: Caller, _ request: Assay_V1_ListQuarantineRequest
    ) throws(RPCError) -> Assay_V1_ListQuarantineResponse {
        if !request.id.isEmpty { _ = try plugin(request.id) }
        return .with {
            $0.evidence = control.quarantined().filter { evidence in
                (request.id.isEmpty || evidence.plugin == request.id)
                    && (caller.apps == nil || AppID(evidence.app).map(caller.may(use:)) ?? false)
            }
        }
    }

    private func release(
        _ caller: Caller, _ request: Assay_V1_ReleaseQuarantineRequest
    ) async throws -> Assay_V1_ReleaseQuarantineResponse {
        guard try await control.release(Array(request.digest)) else { throw RPCError.notQuarantined }
        requestLog.changed(
            "released quarantined evidence", by: caller, ["digest": Hex.encode(Array(request.digest.prefix(32)))])
        return Assay_V1_ReleaseQuarantineResponse()
    }
}

extension RPCError {
    fileprivate static let notQuarantined = RPCError(
        .notFound, "no evidence with this digest is in quarantine", reason: "not_quarantined")
}
