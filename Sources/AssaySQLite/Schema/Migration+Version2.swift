extension Migration {
    /// Device certificates and fleets: what `CertificateRegistry` and `EnrolmentRegistry` keep.
    static let version2 = Migration(
        version: 2,
        sql: """
            -- The CAs that issued certificates, under a number that certificates are stored with. The number of revocations and
            -- the last expiry are kept here, so that no list is counted.
            CREATE TABLE issuers (
                number INTEGER PRIMARY KEY,
                issuer BLOB NOT NULL UNIQUE,
                revocations INTEGER NOT NULL,
                last_expiry INTEGER NOT NULL
            ) STRICT;

            -- Never removed, so the number is the order of listings. The DER comes last: a scan that does not read it does not
            -- read its pages.
            CREATE TABLE certificates (
                number INTEGER PRIMARY KEY,
                issuer INTEGER NOT NULL REFERENCES issuers (number),
                serial BLOB NOT NULL,
                app TEXT NOT NULL,
                device BLOB NOT NULL,
                key_id BLOB NOT NULL,
                not_before INTEGER NOT NULL,
                not_after INTEGER NOT NULL,
                issued_at INTEGER NOT NULL,
                assurance INTEGER NOT NULL,
                protection INTEGER NOT NULL,
                platform TEXT NOT NULL,
                policy_digest BLOB NOT NULL,
                simulated INTEGER NOT NULL,
                revoked_at INTEGER,
                reason INTEGER,
                der BLOB NOT NULL,
                UNIQUE (serial, issuer),
                UNIQUE (key_id, app)
            ) STRICT;
            CREATE INDEX certificates_app ON certificates (app);
            CREATE INDEX certificates_device ON certificates (device);
            CREATE INDEX certificates_revoked ON certificates (issuer, not_after) WHERE revoked_at IS NOT NULL;

            -- The last list of each CA, by the SHA-256 of its SubjectPublicKeyInfo.
            CREATE TABLE revocation_lists (
                issuer BLOB PRIMARY KEY,
                number INTEGER NOT NULL,
                this_update INTEGER NOT NULL,
                next_update INTEGER NOT NULL,
                revocation_count INTEGER NOT NULL,
                der BLOB NOT NULL
            ) STRICT;

            -- By device and hour since 1970 (SubmissionHours); dropped when no count includes the hour any more.
            CREATE TABLE submissions (
                device BLOB,
                hour INTEGER,
                count INTEGER NOT NULL,
                PRIMARY KEY (device, hour)
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX submissions_hour ON submissions (hour);

            -- The number is never given again, so that no page of a listing can miss a permission. "kind" is that of
            -- Enrolment.Permit.
            CREATE TABLE enrolments (
                number INTEGER PRIMARY KEY AUTOINCREMENT,
                app TEXT NOT NULL,
                kind INTEGER NOT NULL,
                permit BLOB NOT NULL,
                family TEXT NOT NULL,
                created_at INTEGER NOT NULL,
                expiry INTEGER,
                used_by BLOB,
                UNIQUE (permit, kind, app)
            ) STRICT;
            CREATE INDEX enrolments_app ON enrolments (app);

            -- Outlives the device's record, so that no serial number and no secret is provisioned twice.
            CREATE TABLE fleet_devices (
                app TEXT NOT NULL,
                serial BLOB NOT NULL,
                device BLOB NOT NULL,
                secret_hash BLOB NOT NULL,
                tables BLOB NOT NULL,
                certificate INTEGER NOT NULL REFERENCES certificates (number),
                idempotency BLOB NOT NULL,
                request BLOB NOT NULL,
                provisioned_at INTEGER NOT NULL,
                UNIQUE (serial, app),
                UNIQUE (secret_hash, app)
            ) STRICT;
            CREATE UNIQUE INDEX fleet_devices_idempotency ON fleet_devices (idempotency) WHERE idempotency <> x'';
            """)
}
