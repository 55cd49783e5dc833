import AssayCore
import AssaySchemes
import AssayTesting
import Foundation
import Testing

@testable import PlayIntegrity

@Suite("Vectors of Play Integrity", .enabled(if: SharedVectors.folder("play-integrity") != nil))
struct PlayIntegrityVectorRunnerTests {
    @Test("Each undisputed vector has its outcome and its reason")
    func outcomes() throws {
        let runner = PlayIntegrityVectorRunner()
        let files = try FileManager.default.contentsOfDirectory(
            at: try #require(SharedVectors.folder("play-integrity")), includingPropertiesForKeys: nil)
        var count = 0
        for file in files where file.pathExtension == "json" {
            guard let vector = try Vector(Data(contentsOf: file)), vector.kind == runner.kind, !vector.disputed else {
                continue
            }
            let rejection = try runner.judge(vector).rejection
            #expect((rejection == nil) == vector.expectation.accept, "\(vector.id): \(rejection?.detail ?? "accepted")")
            if let rejection, !vector.expectation.reasons.isEmpty {
                #expect(vector.expectation.reasons.contains(rejection.code.rawValue), "\(vector.id): \(rejection)")
            }
            count += 1
        }
        #expect(count > 0)
    }
}
