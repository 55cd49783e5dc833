extension Migration {
    /// The first schema. Times are milliseconds since 1970; digests, ids and keys are raw bytes; texts are compared as bytes.
    static let version1 = Migration(
        version: 1, oldest: 1, statements: devices + spending + audit + certificates + fleets + others)

    private static let devices = [
        // One row for each key that is registered or blocked: registrations and blocks of a key meet here. "device" is NULL for a key that
        // is only blocked, and while a transaction holds the key.
        """
        CREATE TABLE device_keys (
            key_id bytea, app text COLLATE "C", device bytea, blocked boolean NOT NULL DEFAULT false,
            PRIMARY KEY (key_id, app))
        """,
        // One row for each subject with devices or a block: registrations, the limit of devices and blocks of a subject meet here.
        """
        CREATE TABLE subjects (
            subject bytea, app text COLLATE "C", devices bigint NOT NULL DEFAULT 0, blocked boolean NOT NULL DEFAULT false,
            PRIMARY KEY (subject, app)) WITH (fillfactor = 80)
        """,
        // Wide and cold: written once, read when a device is not in memory. "number" is the order of listings.
        """
        CREATE TABLE devices (
            id bytea PRIMARY KEY,
            number bigint GENERATED ALWAYS AS IDENTITY,
            key_id bytea NOT NULL,
            app text COLLATE "C" NOT NULL,
            subject bytea,
            format text COLLATE "C" NOT NULL,
            public_key bytea NOT NULL,
            environment text COLLATE "C" NOT NULL,
            anchor bytea NOT NULL,
            simulated boolean NOT NULL,
            imported boolean NOT NULL,
            registered_at bigint NOT NULL,
            chain_serials bytea NOT NULL,
            attestation_key bytea NOT NULL,
            claims bytea NOT NULL,
            receipt bytea NOT NULL,
            receipt_due bigint,
            receipt_failures bigint NOT NULL,
            receipt_end text COLLATE "C",
            risk_metric bigint,
            risk_metric_at bigint)
        """,
        "CREATE INDEX devices_app ON devices (app, number)",
        "CREATE INDEX devices_subject ON devices (app, subject, number) WHERE subject IS NOT NULL",
        "CREATE INDEX devices_receipt ON devices (app, environment, receipt_due, number) WHERE receipt_due IS NOT NULL",
        "CREATE INDEX devices_attestation_key ON devices (attestation_key, registered_at) WHERE attestation_key <> ''::bytea",
        // Narrow and hot: one row is rewritten with each accepted verdict, and no index but the primary key, so that the new row stays on
        // its page. "window" is the bitmap of CounterState as a signed integer, "blocked" has a bit for each kind of block.
        """
        CREATE TABLE counters (
            device bytea PRIMARY KEY,
            counter bigint NOT NULL,
            "window" bigint NOT NULL,
            blocked bigint NOT NULL,
            last_accepted_at bigint NOT NULL) WITH (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.05)
        """,
        // For people. The flags above decide.
        """
        CREATE TABLE blocks (
            app text COLLATE "C", kind bigint, target bytea, reason text COLLATE "C" NOT NULL, since bigint NOT NULL,
            PRIMARY KEY (app, kind, target))
        """,
    ]

    private static let spending = [
        // Challenges, by their fixed expiry. The partitions are periods of ten minutes (SpentPeriod). There is no default partition.
        "CREATE TABLE spent (expiry bigint, token bytea, PRIMARY KEY (expiry, token)) PARTITION BY RANGE (expiry)",
        // Other tokens, each once, with any expiry.
        "CREATE TABLE used (token bytea PRIMARY KEY, expiry bigint NOT NULL)",
        "CREATE INDEX used_expiry ON used (expiry)",
        // A transaction that has claimed a key holds it as a row with an empty request. "number" is the order in which keys were first used.
        """
        CREATE TABLE idempotency (
            key bytea PRIMARY KEY,
            number bigint GENERATED ALWAYS AS IDENTITY,
            request bytea NOT NULL,
            expiry bigint NOT NULL,
            device bytea,
            certificate bigint,
            verdict bytea NOT NULL)
        """,
        "CREATE INDEX idempotency_expiry ON idempotency (expiry, number)",
    ]

    private static let audit = [
        // One row for each daemon that writes: the end and the start of its audit chain. "epoch" is a random number that the process draws
        // which has the name, "commits" counts its transactions: they tell whether a commit was applied.
        """
        CREATE TABLE writers (
            writer bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            name text COLLATE "C" NOT NULL UNIQUE,
            epoch bigint NOT NULL,
            commits bigint NOT NULL DEFAULT 0,
            number bigint NOT NULL DEFAULT 0,
            head bytea NOT NULL,
            start_number bigint NOT NULL DEFAULT 0,
            start_head bytea NOT NULL,
            last_verdict bigint NOT NULL DEFAULT 0,
            last_verdict_at bigint NOT NULL DEFAULT 0,
            devices bigint NOT NULL DEFAULT 0,
            clock_believed bigint,
            clock_uptime bigint,
            clock_ahead_since bigint) WITH (fillfactor = 10)
        """,
        """
        CREATE TABLE audit (
            writer bigint, number bigint, time bigint NOT NULL, record bytea NOT NULL, head bytea NOT NULL,
            PRIMARY KEY (writer, number))
        """,
        """
        CREATE TABLE audit_claims (
            writer bigint, number bigint, device bytea, app text COLLATE "C" NOT NULL, salt bytea NOT NULL, claims bytea NOT NULL,
            PRIMARY KEY (writer, number))
        """,
        "CREATE INDEX audit_claims_device ON audit_claims (device)",
    ]

    private static let certificates = [
        """
        CREATE TABLE issuers (
            number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            issuer bytea NOT NULL UNIQUE,
            revocations bigint NOT NULL,
            last_expiry bigint NOT NULL)
        """,
        // Never removed, so the number is the order of listings.
        """
        CREATE TABLE certificates (
            number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            issuer bigint NOT NULL,
            serial bytea NOT NULL,
            app text COLLATE "C" NOT NULL,
            device bytea NOT NULL,
            key_id bytea NOT NULL,
            not_before bigint NOT NULL,
            not_after bigint NOT NULL,
            issued_at bigint NOT NULL,
            assurance bigint NOT NULL,
            protection bigint NOT NULL,
            platform text COLLATE "C" NOT NULL,
            policy_digest bytea NOT NULL,
            simulated boolean NOT NULL,
            revoked_at bigint,
            reason bigint,
            renewed_from bigint,
            der bytea NOT NULL,
            UNIQUE (serial, issuer),
            UNIQUE (key_id, app))
        """,
        "CREATE INDEX certificates_app ON certificates (app, number)",
        "CREATE INDEX certificates_device ON certificates (device, number)",
        "CREATE INDEX certificates_revoked ON certificates (issuer, not_after) WHERE revoked_at IS NOT NULL",
        "CREATE INDEX certificates_renewed_from ON certificates (renewed_from) WHERE renewed_from IS NOT NULL",
        """
        CREATE TABLE revocation_lists (
            issuer bytea PRIMARY KEY,
            number bigint NOT NULL,
            this_update bigint NOT NULL,
            next_update bigint NOT NULL,
            revocation_count bigint NOT NULL,
            der bytea NOT NULL)
        """,
        // By device and hour since 1970 (SubmissionHours).
        "CREATE TABLE submissions (device bytea, hour bigint, count bigint NOT NULL, PRIMARY KEY (device, hour))",
        "CREATE INDEX submissions_hour ON submissions (hour)",
    ]

    private static let fleets = [
        """
        CREATE TABLE enrolments (
            number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            app text COLLATE "C" NOT NULL,
            kind bigint NOT NULL,
            permit bytea NOT NULL,
            family text COLLATE "C" NOT NULL,
            created_at bigint NOT NULL,
            expiry bigint,
            used_by bytea,
            replaces bytea,
            UNIQUE (permit, kind, app))
        """,
        "CREATE INDEX enrolments_app ON enrolments (app, number)",
        // Outlives the device's record, so that no serial number and no secret is provisioned twice.
        """
        CREATE TABLE fleet_devices (
            app text COLLATE "C" NOT NULL,
            serial bytea NOT NULL,
            device bytea NOT NULL,
            secret_hash bytea NOT NULL,
            tables bytea NOT NULL,
            certificate bigint NOT NULL,
            idempotency bytea NOT NULL,
            request bytea NOT NULL,
            provisioned_at bigint NOT NULL,
            superseded_at bigint,
            PRIMARY KEY (secret_hash, app))
        """,
        "CREATE UNIQUE INDEX fleet_devices_serial ON fleet_devices (serial, app) WHERE superseded_at IS NULL",
        "CREATE INDEX fleet_devices_superseded ON fleet_devices (serial, app) WHERE superseded_at IS NOT NULL",
        "CREATE UNIQUE INDEX fleet_devices_idempotency ON fleet_devices (idempotency) WHERE idempotency <> ''::bytea",
    ]

    private static let others = [
        """
        CREATE TABLE secrets (
            name text COLLATE "C", number bigint, wrapped bytea NOT NULL, created_at bigint NOT NULL,
            PRIMARY KEY (name, number))
        """,
        // "apps" is NULL for all apps, otherwise their names with a line feed between them; so are the roles.
        """
        CREATE TABLE caller_keys (
            number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            name text COLLATE "C" NOT NULL UNIQUE,
            hash bytea NOT NULL UNIQUE,
            roles text COLLATE "C" NOT NULL,
            apps text COLLATE "C",
            created_at bigint NOT NULL,
            created_by text COLLATE "C" NOT NULL,
            expires_at bigint NOT NULL,
            revoked_at bigint)
        """,
        // Never removed, so the number is the order of listings.
        """
        CREATE TABLE policies (
            number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            digest bytea NOT NULL UNIQUE,
            app text COLLATE "C" NOT NULL,
            first_seen bigint NOT NULL,
            size bigint NOT NULL,
            text text COLLATE "C" NOT NULL)
        """,
        // spent_horizon: the highest expiry that may have been dropped. purge, caller_keys: locked by the transaction that does what they name.
        // probe: written to see whether a later statement of a transaction sees it.
        """
        INSERT INTO meta VALUES ('spent_horizon', -9223372036854775808), ('purge', 0), ('caller_keys', 0), ('probe', 0)
        """,
    ]
}
