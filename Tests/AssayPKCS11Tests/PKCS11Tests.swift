import Testing

/// One after the other: the fake module and SoftHSM's configuration belong to the process.
@Suite("PKCS#11", .serialized)
struct PKCS11Tests {}
