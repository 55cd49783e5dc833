import AssayCore
import AssayLedger

/// Adds and looks up device records and their hot rows.
enum DeviceTable {
    static func device(_ key: DeviceKey) -> Lookup<Device?> {
        Lookup(SQLStatement(byKey, .bytes(key.keyID), .text(key.app.text))) { rows throws(PostgresError) in
            try rows.first(DeviceRow.device)
        }
    }

    static func device(_ id: DeviceID) -> Lookup<Device?> {
        Lookup(SQLStatement(byID, .bytes(id.bytes))) { rows throws(PostgresError) in try rows.first(DeviceRow.device) }
    }

    private static let byKey =
        DeviceRow.selection
        + " WHERE id = (SELECT k.device FROM device_keys k WHERE k.key_id = $1 AND k.app = $2 AND k.device IS NOT NULL)"
    private static let byID = DeviceRow.selection + " WHERE id = $1"

    /// The devices of some keys, in their order. A record that does not decode affects no other one.
    static func devices(_ keys: [DeviceKey]) -> Lookup<[Result<Device?, LedgerError>]> {
        let statement = SQLStatement(byKeys, .bytesList(keys.map(\.keyID)), .texts(keys.map(\.app.text)))
        return Lookup(statement) { rows throws(PostgresError) in
            var found = [Result<Device?, LedgerError>](repeating: .success(nil), count: keys.count)
            try rows.forEach { row throws(PostgresError) in
                let place = Int(row.int64(DeviceRow.following)) - 1
                guard found.indices.contains(place) else { throw .damaged("a device was found by no key") }
                do throws(PostgresError) { found[place] = .success(try DeviceRow.device(row, keys[place])) } catch {
                    found[place] = .failure(error.ledgerError)
                }
                return true
            }
            return found
        }
    }

    private static let byKeys = """
        SELECT \(DeviceRow.columns), e.n
        FROM unnest($1::bytea[], $2::text[]) WITH ORDINALITY AS e(k, a, n)
            JOIN device_keys ON device_keys.key_id = e.k AND device_keys.app = e.a
            JOIN devices ON id = device_keys.device \(DeviceRow.joins)
        """

    static func use(ofAttestationKey key: [UInt8], at now: Timestamp) -> Lookup<AttestationKeyUse> {
        // PostgreSQL uses the partial index only if the query repeats its condition.
        let statement = SQLStatement(
            """
            SELECT count(*) FROM (SELECT 1 FROM devices
                WHERE attestation_key = $1 AND attestation_key <> ''::bytea AND registered_at > $2 LIMIT $3) AS found
            """,
            .bytes(key), .int8(now.adding(milliseconds: -86_400_000).unixMilliseconds), .int8(Int64(AttestationKeyUse.limit)))
        return Lookup(statement) { rows throws(PostgresError) in
            AttestationKeyUse(lastDay: try rows.first { Int($0.int64(0)) } ?? 0)
        }
    }

    // MARK: Statements

    /// Adds a device's wide row.
    static func insertion(of device: Device) -> SQLStatement {
        let registration = device.registration
        return SQLStatement(
            """
            INSERT INTO devices (id, key_id, app, subject, format, public_key, environment, anchor, simulated,
                imported, registered_at, chain_serials, claims, receipt, attestation_key,
                receipt_due, receipt_failures, receipt_end, risk_metric, risk_metric_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20)
            """,
            [
                .bytes(device.id.bytes), .bytes(registration.keyID), .text(device.app.text), .bytes(device.subject),
                .text(registration.format.rawValue), .bytes(registration.publicKey), .text(registration.environment),
                .bytes(registration.anchor), .bool(registration.simulated), .bool(registration.imported),
                .int8(device.registeredAt.unixMilliseconds), .bytes(ByteStrings.encode(registration.chainSerials)),
                .bytes(registration.claims.encoded()), .bytes(registration.receipt), .bytes(registration.attestationKey),
            ] + values(of: device.exchange))
    }

    /// Stores the state of a receipt's exchange. Changes nothing if the device is not registered.
    static func keeping(_ outcome: ReceiptOutcome) -> SQLStatement {
        SQLStatement(
            """
            UPDATE devices SET receipt_due = $1, receipt_failures = $2, receipt_end = $3, risk_metric = $4,
                risk_metric_at = $5, receipt = coalesce($6, receipt) WHERE id = $7
            """, values(of: outcome.exchange) + [.bytes(outcome.receipt), .bytes(outcome.device.bytes)])
    }

    static func keeping(_ flags: [DeviceFlag], of device: DeviceID) -> SQLStatement {
        let value: [UInt8]? = flags.isEmpty ? nil : flags.encoded()
        return SQLStatement("UPDATE devices SET flags = $1 WHERE id = $2", .bytes(value), .bytes(device.bytes))
    }

    /// The five columns of the exchange, in the order of the table.
    private static func values(of exchange: ReceiptExchange) -> [SQLValue] {
        [
            .int8(exchange.due?.unixMilliseconds), .int8(Int64(exchange.failures)), .text(exchange.end?.rawValue),
            .int8(exchange.metric?.value), .int8(exchange.metric?.at.unixMilliseconds),
        ]
    }
}
