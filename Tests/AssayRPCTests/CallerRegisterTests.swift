import Synchronization
import Testing

@testable import AssayRPC

@Suite("The register of callers")
struct CallerRegisterTests {
    @Test("survives accounts that end while others of the same name begin, and is empty in the end")
    func churn() async {
        let register = CallerRegister()
        let identity = PeerIdentity.user(1)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<20_000 { _ = register.usage(of: identity).held.load(ordering: .relaxed) }
                }
            }
        }
        #expect(register.count == 0)
    }
}
