/// A table of a ledger as it is copied from one kind of store to another: the same columns on both sides, in the same order.
package struct CopiedTable: Sendable {
    package enum Kind: Hashable, Sendable { case integer, flag, bytes, text }

    package struct Column: Hashable, Sendable {
        package let name: String
        package let kind: Kind
    }

    package let name: String
    /// The first `keyCount` of them name a row. They are never NULL, and rows are in their order.
    package let columns: [Column]
    package let keyCount: Int
    /// The column whose numbers the store gives, and never twice; `nil` if there is none.
    package let numbered: String?

    private init(
        _ name: String, key: KeyValuePairs<String, Kind>, _ others: KeyValuePairs<String, Kind>, numbered: String? = nil
    ) {
        self.name = name
        columns = (Array(key) + Array(others)).map { Column(name: $0.key, kind: $0.value) }
        (keyCount, self.numbered) = (key.count, numbered)
    }

    package var key: [Column] { Array(columns.prefix(keyCount)) }

    /// All tables. Rows are added in this order, and removed in the same one: no table refers to another by a constraint.
    package static let all: [CopiedTable] = [
        CopiedTable("meta", key: ["name": .text], ["value": .integer]),
        CopiedTable("secrets", key: ["name": .text, "number": .integer], ["wrapped": .bytes, "created_at": .integer]),
        CopiedTable(
            "caller_keys", key: ["number": .integer],
            [
                "name": .text, "hash": .bytes, "roles": .text, "apps": .text, "created_at": .integer, "created_by": .text,
                "expires_at": .integer, "revoked_at": .integer,
            ], numbered: "number"),
        CopiedTable(
            "policies", key: ["number": .integer],
            ["digest": .bytes, "app": .text, "first_seen": .integer, "size": .integer, "text": .text], numbered: "number"),
        CopiedTable(
            "devices", key: ["id": .bytes],
            [
                "number": .integer, "key_id": .bytes, "app": .text, "subject": .bytes, "format": .text, "public_key": .bytes,
                "environment": .text, "anchor": .bytes, "simulated": .flag, "imported": .flag, "registered_at": .integer,
                "chain_serials": .bytes, "attestation_key": .bytes, "claims": .bytes, "receipt": .bytes,
                "receipt_due": .integer,
                "receipt_failures": .integer, "receipt_end": .text, "risk_metric": .integer, "risk_metric_at": .integer,
                "flags": .bytes,
            ], numbered: "number"),
        CopiedTable(
            "device_keys", key: ["key_id": .bytes, "app": .text], ["device": .bytes, "blocked": .flag]),
        CopiedTable("subjects", key: ["subject": .bytes, "app": .text], ["devices": .integer, "blocked": .flag]),
        CopiedTable(
            "counters", key: ["device": .bytes],
            ["counter": .integer, "window": .integer, "blocked": .integer, "last_accepted_at": .integer]),
        CopiedTable(
            "blocks", key: ["app": .text, "kind": .integer, "target": .bytes], ["reason": .text, "since": .integer]),
        CopiedTable("spent", key: ["expiry": .integer, "token": .bytes], [:]),
        CopiedTable("used", key: ["token": .bytes], ["expiry": .integer]),
        CopiedTable(
            "idempotency", key: ["key": .bytes],
            [
                "number": .integer, "request": .bytes, "expiry": .integer, "device": .bytes, "certificate": .integer,
                "verdict": .bytes,
            ], numbered: "number"),
        CopiedTable(
            "issuers", key: ["number": .integer], ["issuer": .bytes, "revocations": .integer, "last_expiry": .integer],
            numbered: "number"),
        CopiedTable(
            "certificates", key: ["number": .integer],
            [
                "issuer": .integer, "serial": .bytes, "app": .text, "device": .bytes, "key_id": .bytes, "not_before": .integer,
                "not_after": .integer, "issued_at": .integer, "assurance": .integer, "protection": .integer, "platform": .text,
                "policy_digest": .bytes, "simulated": .flag, "revoked_at": .integer, "reason": .integer,
                "renewed_from": .integer,
                "der": .bytes,
            ], numbered: "number"),
        CopiedTable(
            "revocation_lists", key: ["issuer": .bytes],
            [
                "number": .integer, "this_update": .integer, "next_update": .integer, "revocation_count": .integer,
                "der": .bytes,
            ]),
        CopiedTable("submissions", key: ["device": .bytes, "hour": .integer], ["count": .integer]),
        CopiedTable(
            "enrolments", key: ["number": .integer],
            [
                "app": .text, "kind": .integer, "permit": .bytes, "family": .text, "created_at": .integer, "expiry": .integer,
                "used_by": .bytes, "replaces": .bytes,
            ], numbered: "number"),
        CopiedTable(
            "fleet_devices", key: ["secret_hash": .bytes, "app": .text],
            [
                "serial": .bytes, "device": .bytes, "tables": .bytes, "certificate": .integer, "idempotency": .bytes,
                "request": .bytes, "provisioned_at": .integer, "superseded_at": .integer,
            ]),
        CopiedTable(
            "result_keys", key: ["number": .integer],
            [
                "identifier": .bytes, "issuer": .integer, "public_key": .bytes, "published_at": .integer,
                "signs_from": .integer,
            ], numbered: "number"),
        CopiedTable(
            "status_places", key: ["number": .integer], ["device": .bytes, "audience": .bytes, "kept_until": .integer],
            numbered: "number"),
        CopiedTable("status_lists", key: ["list": .integer], ["revision": .integer]),
        CopiedTable("invalid_devices", key: ["device": .bytes], [:]),
        CopiedTable(
            "payload_verdicts", key: ["key": .bytes, "time": .integer, "number": .integer],
            ["device": .bytes, "kept_until": .integer, "content": .bytes],
            numbered: "number"),
        CopiedTable(
            "uploads", key: ["id": .bytes],
            [
                "app": .text, "caller": .text, "size": .integer, "chunk_size": .integer, "payload_sha256": .bytes,
                "begun_at": .integer, "expires_at": .integer, "finished_at": .integer,
            ]),
        CopiedTable("upload_chunks", key: ["upload": .bytes, "chunk": .integer], ["sha256": .bytes]),
        CopiedTable("audit", key: ["number": .integer], ["time": .integer, "record": .bytes, "head": .bytes]),
        CopiedTable(
            "audit_claims", key: ["number": .integer], ["device": .bytes, "app": .text, "salt": .bytes, "claims": .bytes]),
    ]
}

/// A value of a copied row.
package enum CopiedValue: Hashable, Sendable {
    case null
    case integer(Int64)
    case flag(Bool)
    case bytes([UInt8])
    case text(String)
}

/// A row with a value for each column of its table.
package typealias CopiedRow = [CopiedValue]

extension CopiedTable {
    /// Whether a row is before another: texts and bytes are compared by their bytes.
    package func isBefore(_ row: CopiedRow, _ other: CopiedRow) -> Bool {
        for (a, b) in zip(row.prefix(keyCount), other.prefix(keyCount)) where a != b {
            switch (a, b) {
            case (.integer(let a), .integer(let b)): return a < b
            case (.bytes(let a), .bytes(let b)): return a.lexicographicallyPrecedes(b)
            case (.text(let a), .text(let b)): return a.utf8.lexicographicallyPrecedes(b.utf8)
            default: return false
            }
        }
        return false
    }
}
