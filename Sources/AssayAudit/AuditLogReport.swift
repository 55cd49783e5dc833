import AssayCore

/// What the verification of an audit log came to: that of each writer's chain, in the order of the log's writers.
package struct AuditLogReport: Hashable, Sendable {
    package let chains: [AuditReport]

    package var isWhole: Bool { chains.allSatisfy(\.isWhole) }

    /// For people. Each chain is named where its writer has a name.
    package var lines: [String] { chains.flatMap(\.lines) }

    /// For tools: the members of a JSON object. Those of the chain itself in a log of one writer without a name; otherwise `whole`, and
    /// `writers` with the members of each chain and the name.
    package var json: [String: Any] {
        if let only = chains.first, chains.count == 1, !only.writer.isNamed { return only.json }
        return [
            "whole": isWhole,
            "writers": chains.map { $0.json.merging(["writer": $0.writer.name]) { $1 } },
        ]
    }
}
