import Testing

@testable import AssayCore

@Suite("Random bytes")
struct SecureRandomTests {
    @Test("Names have 16 bytes, and no two are the same, however many ask at once")
    func identifiers() async {
        let names = await withTaskGroup(of: [[UInt8]].self) { tasks in
            for _ in 0..<8 { tasks.addTask { (0..<2500).map { _ in SecureRandom.identifier() } } }
            return await tasks.reduce(into: []) { $0 += $1 }
        }
        #expect(names.allSatisfy { $0.count == 16 })
        #expect(Set(names).count == names.count)
        // 20,000 names have every value of a byte at each place: none is wiped before it is given.
        for place in 0..<16 {
            let values = Set(names.lazy.map { $0[place] })
            #expect(values.count == 256)
        }
    }
}
