extension Migration {
    /// The first schema. Times are milliseconds since 1970; digests, ids and keys are raw bytes.
    ///
    /// Spent tokens are in tables of their own, named by `SpentBucket`.
    static let version1 = Migration(
        version: 1,
        sql: """
            -- Wide and cold: written once, read when a device is not in memory.
            CREATE TABLE devices (
                -- The order of listings: never given again, so that no page can miss a device.
                number INTEGER PRIMARY KEY AUTOINCREMENT,
                id BLOB NOT NULL UNIQUE,
                key_id BLOB NOT NULL,
                app TEXT NOT NULL,
                subject BLOB,
                format TEXT NOT NULL,
                public_key BLOB NOT NULL,
                environment TEXT NOT NULL,
                anchor BLOB NOT NULL,
                simulated INTEGER NOT NULL,
                imported INTEGER NOT NULL,
                registered_at INTEGER NOT NULL,
                chain_serials BLOB NOT NULL,
                attestation_key BLOB NOT NULL,
                claims BLOB NOT NULL,
                receipt BLOB NOT NULL,
                -- What becomes of the receipt: see ReceiptExchange. Rewritten when it is exchanged, about once a week.
                receipt_due INTEGER,
                receipt_failures INTEGER NOT NULL DEFAULT 0,
                receipt_end TEXT,
                risk_metric INTEGER,
                risk_metric_at INTEGER,
                UNIQUE (key_id, app)
            ) STRICT;
            CREATE INDEX devices_app ON devices (app);
            CREATE INDEX devices_subject ON devices (app, subject) WHERE subject IS NOT NULL;
            CREATE INDEX devices_receipt ON devices (app, environment, receipt_due) WHERE receipt_due IS NOT NULL;
            -- How many devices one attestation key attested, and how many lately.
            CREATE INDEX devices_attestation_key ON devices (attestation_key, registered_at) WHERE attestation_key <> x'';

            -- Narrow and hot: one row is rewritten with each accepted verdict. Found by the device's own name, so that
            -- no other tree has to be asked first. "window" is the bitmap of CounterState, as a signed integer. "blocked" has a
            -- bit for each kind of block that concerns the device.
            CREATE TABLE counters (
                device BLOB PRIMARY KEY REFERENCES devices (id),
                counter INTEGER NOT NULL,
                window INTEGER NOT NULL,
                blocked INTEGER NOT NULL,
                last_accepted_at INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID;

            -- By what they are about: a device's id, a subject's hash, a key id ("kind" is that of BlockKind). Beside
            -- counters.blocked, which decides for devices on record.
            CREATE TABLE blocks (
                app TEXT NOT NULL,
                kind INTEGER NOT NULL,
                target BLOB NOT NULL,
                reason TEXT NOT NULL,
                since INTEGER NOT NULL,
                PRIMARY KEY (app, kind, target)
            ) STRICT, WITHOUT ROWID;

            CREATE TABLE idempotency (
                number INTEGER PRIMARY KEY,
                key BLOB NOT NULL UNIQUE,
                request BLOB NOT NULL,
                expiry INTEGER NOT NULL,
                device BLOB,
                verdict BLOB NOT NULL
            ) STRICT;
            CREATE INDEX idempotency_expiry ON idempotency (expiry);

            -- Numbered without gaps, appended at the end, dropped only from the front. "record" is the canonical encoding of
            -- an AuditRecord or an AuditChange, "head" the AuditChain after the row. Narrow, and without an index: each verdict writes one.
            CREATE TABLE audit (
                number INTEGER PRIMARY KEY,
                time INTEGER NOT NULL,
                record BLOB NOT NULL,
                head BLOB NOT NULL
            ) STRICT;

            -- One row: the number and the head after which the kept rows begin.
            CREATE TABLE audit_start (
                number INTEGER NOT NULL,
                head BLOB NOT NULL
            ) STRICT;
            INSERT INTO audit_start VALUES (0, zeroblob(32));

            -- Claims beside audit records, for apps that want them; deleted without touching the chain.
            CREATE TABLE audit_claims (
                number INTEGER PRIMARY KEY,
                device BLOB,
                app TEXT NOT NULL,
                salt BLOB NOT NULL,
                claims BLOB NOT NULL
            ) STRICT;
            CREATE INDEX audit_claims_device ON audit_claims (device);

            CREATE TABLE secrets (
                name TEXT NOT NULL,
                number INTEGER NOT NULL,
                wrapped BLOB NOT NULL,
                created_at INTEGER NOT NULL,
                PRIMARY KEY (name, number)
            ) STRICT, WITHOUT ROWID;

            -- spent_horizon: the highest expiry that may have been dropped. devices: how many there are.
            CREATE TABLE meta (
                name TEXT PRIMARY KEY,
                value INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID;
            INSERT INTO meta VALUES ('spent_horizon', -9223372036854775808), ('devices', 0);
            """)
}
