import Synchronization
import Testing

@testable import AssayRPC

@Suite("Register of callers")
struct CallerRegisterTests {
    @Test("accounts may end while others of the same identity begin, and the register is empty in the end")
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
