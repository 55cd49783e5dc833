import AssayCore
import Testing

@testable import AndroidKeyAttestation

@Suite("Security levels")
struct SecurityLevelTests {
    @Test("are ordered, named and known by their names", arguments: SecurityLevel.allCases)
    func names(_ level: SecurityLevel) {
        #expect(SecurityLevel(name: level.name) == level)
        #expect(level == .software || level.assurance > SecurityLevel.software.assurance)
    }
}
