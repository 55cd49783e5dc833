import AssayCore
import AssaySchemes
import AssayTesting
import Foundation
import Testing

@testable import CertificateBundle

@Suite("Vectors of certificate bundles", .enabled(if: SharedVectors.folder("certificate-bundle") != nil))
struct CertificateBundleVectorRunnerTests {
    @Test("Each undisputed vector has its outcome and its reason")
    func outcomes() throws {
        let runner = CertificateBundleVectorRunner()
        let files = try FileManager.default.contentsOfDirectory(
            at: try #require(SharedVectors.folder("certificate-bundle")), includingPropertiesForKeys: nil)
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
