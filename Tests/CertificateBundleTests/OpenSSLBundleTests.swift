import AssayCore
import AssayEncoding
import AssaySimulator
import Foundation
import Testing

@testable import CertificateBundle

/// OpenSSL's command line as the camera: an implementation that shares no code with the simulator.
@Suite("Certificate bundles by OpenSSL")
struct OpenSSLBundleTests {
    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "bundle-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    private func write(_ text: String, _ name: String) throws {
        try Data(text.utf8).write(to: folder.appending(path: name))
    }

    /// Runs `openssl`; its standard output.
    private func openssl(_ arguments: String...) throws -> [UInt8] {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["openssl"] + arguments
        process.currentDirectoryURL = folder
        let (output, errors) = (Pipe(), Pipe())
        (process.standardOutput, process.standardError) = (output, errors)
        try process.run()
        let bytes = Array(output.fileHandleForReading.readDataToEndOfFile())
        let said = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "\(said)")
        return bytes
    }

    @Test("A bundle that openssl dgst -sha256 -sign signed is accepted")
    func signed() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let fleet = try Fleet()
        try write(fleet.camera.key.pem, "camera.pem")
        let certificate = Base64.standard.encode(try fleet.certificate())
        let seconds = Fleet.now.unixMilliseconds / 1000
        try write(Hex.encode(Fleet.imageHash) + "\n\(certificate)\n\(seconds)\n\n", "signed")
        let signature = try openssl("dgst", "-sha256", "-sign", "camera.pem", "signed")
        let json = """
            {"image_hash": "\(Hex.encode(Fleet.imageHash))", "camera_cert": "\(certificate)", "timestamp": \(seconds),
             "bundle_signature": "\(Base64.standard.encode(signature))"}
            """
        #expect(try fleet.judge(json: Array(json.utf8)).outcome == "accepted")
    }

    @Test("OpenSSL verifies the simulator's certificate, request and list, and a list that OpenSSL made is read")
    func certificates() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let fleet = try Fleet()
        try write(fleet.authority.rootPEM, "root.pem")
        try write(fleet.authority.issuingPEM, "issuing.pem")
        try write(PEM.encode(try fleet.certificate()), "camera.pem")
        let list = RevocationListBuilder(of: fleet.authority, at: Fleet.now)
        try write(try list.pem(signedBy: fleet.authority.issuingKey), "list.pem")
        let seconds = "\(Fleet.now.unixMilliseconds / 1000)"
        _ = try openssl(
            "verify", "-attime", seconds, "-CAfile", "root.pem", "-untrusted", "issuing.pem", "-crl_check", "-CRLfile",
            "list.pem",
            "camera.pem")
        try write(PEM.encode(try fleet.camera.certificateRequest(), label: "CERTIFICATE REQUEST"), "request.pem")
        _ = try openssl("req", "-in", "request.pem", "-verify", "-noout")
    }
}
