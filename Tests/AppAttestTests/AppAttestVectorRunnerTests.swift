import AppAttest
import AssayCore
import AssaySchemes
import Foundation
import Testing

@Suite("App Attest vector runners", .enabled(if: Vector.folder != nil))
struct AppAttestVectorRunnerTests {
    @Test("Each vector has its verdict and reason through the scheme's runners")
    func outcomes() throws {
        let folder = try #require(Vector.folder).appending(path: "app-attest")
        let runners = AppAttestScheme.vectorRunners
        #expect(runners.map(\.kind) == ["app-attest.attestation", "app-attest.assertion", "app-attest.receipt"])
        var count = 0
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() where name.hasSuffix(".json") {
            guard let vector = try AssaySchemes.Vector(Data(contentsOf: folder.appending(path: name))), !vector.disputed,
                let runner = runners.first(where: { $0.kind == vector.kind })
            else { continue }
            let outcome = try runner.judge(vector)
            let code = outcome.rejection?.code.rawValue
            #expect((code == nil) == vector.expectation.accept, "\(name): \(code ?? "accepted")")
            let reasons = vector.expectation.reasons
            if let code, !reasons.isEmpty { #expect(reasons.contains(code), "\(name): \(code)") }
            count += 1
        }
        #expect(count > 100)
    }
}
