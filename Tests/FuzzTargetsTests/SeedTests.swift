import AssayCore
import AssaySimulator
import AssayTesting
import Foundation
import FuzzTargets
import Testing

@Suite("Fuzz targets")
struct SeedTests {
    /// They are made once: the simulator signs many of them.
    private static let seeds = Result { try FuzzSeeds.all }

    /// The fuzzer's findings are in `Fuzz/Cases/<target>`, one file for each.
    @Test("Every finding of the fuzzer is replayed without a trap", arguments: FuzzTarget.allCases)
    func cases(_ target: FuzzTarget) throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Fuzz/Cases/\(target.rawValue)")
        let files = (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
        for file in files { target.run(Array(try Data(contentsOf: file))) }
    }

    @Test("Genuine input, cut and changed anywhere, does not trap", arguments: FuzzTarget.allCases)
    func mutants(_ target: FuzzTarget) throws {
        var numbers = SeededNumbers(seed: 20_261_121)
        for (name, seed) in try Self.seeds.get() where name.hasPrefix(target.rawValue + "/") {
            target.run(seed)
            for _ in 0..<300 {
                var mutant = seed
                for _ in 0..<Int.random(in: 1...4, using: &numbers) {
                    guard let index = mutant.indices.randomElement(using: &numbers) else { break }
                    switch Int.random(in: 0..<4, using: &numbers) {
                    case 0: mutant[index] = UInt8.random(in: 0...255, using: &numbers)
                    case 1: mutant[index] ^= 1 << UInt8.random(in: 0..<8, using: &numbers)
                    case 2: mutant.removeSubrange(index...)
                    default: mutant.insert(UInt8.random(in: 0...255, using: &numbers), at: index)
                    }
                }
                target.run(mutant)
            }
        }
    }

    /// `make fuzz` requests the seeds as files.
    @Test(
        "The seeds are written to the folder named by ASSAY_FUZZ_SEEDS",
        .enabled(if: ProcessInfo.processInfo.environment["ASSAY_FUZZ_SEEDS"] != nil))
    func written() throws {
        let folder = URL(fileURLWithPath: try #require(ProcessInfo.processInfo.environment["ASSAY_FUZZ_SEEDS"]))
        for (name, bytes) in try Self.seeds.get() {
            let file = folder.appending(path: name)
            try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(bytes).write(to: file)
        }
    }

    @Test("Every target has a seed", arguments: FuzzTarget.allCases)
    func seeds(_ target: FuzzTarget) throws {
        #expect(try Self.seeds.get().contains { $0.name.hasPrefix(target.rawValue + "/") && !$0.bytes.isEmpty })
    }
}
