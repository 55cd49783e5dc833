extension Migration {
    /// Renewals of certificates.
    static let version3 = Migration(version: 3, sql: renewals)

    /// Which certificate a certificate was renewed from. NULL for those that were issued before this version: their origin was not recorded.
    private static let renewals = """
        ALTER TABLE certificates ADD COLUMN renewed_from INTEGER REFERENCES certificates (number);
        CREATE INDEX certificates_renewed_from ON certificates (renewed_from) WHERE renewed_from IS NOT NULL;
        """
}
