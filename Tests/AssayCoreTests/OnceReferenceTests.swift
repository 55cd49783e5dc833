import AssayCore
import Synchronization
import Testing

@Suite("Once reference")
struct OnceReferenceTests {
    /// Counts how many of its kind exist.
    private final class Object: Sendable {
        static let living = Atomic(0)
        let number: Int

        init(_ number: Int) {
            self.number = number
            Self.living.add(1, ordering: .relaxed)
        }

        deinit { Self.living.subtract(1, ordering: .relaxed) }
    }

    @Test("64 threads set a reference: all get the object of one of them, and none is left when the reference is gone")
    func race() async {
        for _ in 0..<50 {
            let reference = Holder()
            #expect(reference.once.load() == nil)
            let numbers = await withTaskGroup(of: Int.self) { group in
                for number in 0..<64 { group.addTask { reference.once.storeIfNil(Object(number)).number } }
                return await group.reduce(into: Set<Int>()) { $0.insert($1) }
            }
            #expect(numbers.count == 1)
            #expect(reference.once.load()?.number == numbers.first)
            #expect(reference.once.storeIfNil(Object(64)).number == numbers.first)
            #expect(Object.living.load(ordering: .relaxed) == 1)
        }
        #expect(Object.living.load(ordering: .relaxed) == 0)
    }

    /// Shares a reference among tasks.
    private final class Holder: Sendable {
        let once = OnceReference<Object>()
    }
}
