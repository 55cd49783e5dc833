extension Migration {
    /// Renewals of certificates, and readmissions: a serial number of a fleet may be provisioned again, in place of the device before.
    static let version3 = Migration(version: 3, sql: renewals + readmissions)

    /// Which certificate a certificate was renewed from. NULL for those that were issued before this version: their origin was not recorded.
    private static let renewals = """
        ALTER TABLE certificates ADD COLUMN renewed_from INTEGER REFERENCES certificates (number);
        CREATE INDEX certificates_renewed_from ON certificates (renewed_from) WHERE renewed_from IS NOT NULL;
        """

    /// The record of a device that was replaced stays, so a serial number is unique only among the others. SQLite cannot drop the
    /// constraint of a table, so the table is made again.
    private static let readmissions = """
        -- The device that is replaced when the permission is used.
        ALTER TABLE enrolments ADD COLUMN replaces BLOB;

        CREATE TABLE fleet_devices_3 (
            app TEXT NOT NULL,
            serial BLOB NOT NULL,
            device BLOB NOT NULL,
            secret_hash BLOB NOT NULL,
            tables BLOB NOT NULL,
            certificate INTEGER NOT NULL REFERENCES certificates (number),
            idempotency BLOB NOT NULL,
            request BLOB NOT NULL,
            provisioned_at INTEGER NOT NULL,
            superseded_at INTEGER,
            UNIQUE (secret_hash, app)
        ) STRICT;
        INSERT INTO fleet_devices_3 (app, serial, device, secret_hash, tables, certificate, idempotency, request, provisioned_at)
            SELECT app, serial, device, secret_hash, tables, certificate, idempotency, request, provisioned_at
            FROM fleet_devices ORDER BY rowid;
        DROP TABLE fleet_devices;
        ALTER TABLE fleet_devices_3 RENAME TO fleet_devices;
        CREATE UNIQUE INDEX fleet_devices_serial ON fleet_devices (serial, app) WHERE superseded_at IS NULL;
        CREATE INDEX fleet_devices_superseded ON fleet_devices (serial, app) WHERE superseded_at IS NOT NULL;
        CREATE UNIQUE INDEX fleet_devices_idempotency ON fleet_devices (idempotency) WHERE idempotency <> x'';
        """
}
