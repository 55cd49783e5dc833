import Glibc
import Testing

/// The entry point of the executable with all tests.
///
/// SwiftPM takes this file in place of one that it makes, for which it would look for tests of XCTest in an index of the sources. There are
/// no such tests, and the index takes a fifth of a build (`dev/build.sh`).
@main
struct TestExecutable {
    static func main() async {
        let arguments = CommandLine.arguments
        // `swift test` starts it a second time, for the tests of XCTest.
        guard zip(arguments, arguments.dropFirst()).contains(where: { $0 == ("--testing-library", "swift-testing") }) else {
            exit(0)
        }
        await Testing.__swiftPMEntryPoint() as Never
    }
}
