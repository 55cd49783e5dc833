import Foundation

/// A Python with protobuf, or `nil`.
enum Python {
    static let path: String? = {
        let places = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map { "\($0)/python3" }
        for place in places + ["/usr/bin/python3"] where FileManager.default.isExecutableFile(atPath: place) {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: place)
            process.arguments = ["-c", "import google.protobuf.internal.builder"]
            process.standardError = FileHandle.nullDevice
            guard (try? process.run()) != nil else { continue }
            process.waitUntilExit()
            if process.terminationStatus == 0 { return place }
        }
        print("No python3 here knows google.protobuf; the Python example is not tested.")
        return nil
    }()

    /// Whether that Python has the package `cryptography`.
    static let knowsCertificates: Bool = {
        guard let path else { return false }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = ["-c", "import cryptography.x509"]
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        if process.terminationStatus != 0 { print("\(path) has no cryptography; the example of provisioning is not tested.") }
        return process.terminationStatus == 0
    }()
}
