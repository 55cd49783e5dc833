import AssayPKCS11
import CPKCS11
import FakePKCS11
import Foundation
import Testing

extension PKCS11Tests {
    @Suite("Modules")
    struct ModuleTests {
        /// The error of a path that is no module.
        func refusal(_ path: String) -> TokenError? {
            do throws(TokenError) {
                _ = try PKCS11Module.load(path)
                return nil
            } catch { return error }
        }

        @Test("A path that is not absolute is refused")
        func relative() {
            for path in ["libsofthsm2.so", "./libsofthsm2.so", "", "/lib\u{0}/x"] {
                #expect(refusal(path)?.code == .moduleUnusable)
                #expect(refusal(path)?.detail.contains("is not absolute") == true)
            }
        }

        @Test("Files that are no modules are refused with the reason")
        func noModule() throws {
            let fake = try FakeToken()
            #expect(refusal("/nowhere/x.so")?.detail.hasSuffix("No such file or directory") == true)
            #expect(refusal("/usr")?.detail.hasSuffix("is not a regular file") == true)
            #expect(refusal(fake.pinFile)?.detail.contains("cannot be loaded") == true)
            // A library of this process.
            let file = try #require(FileHandle(forReadingAtPath: "/proc/self/maps"))
            let bytes = try #require(try file.readToEnd())
            let maps = String(decoding: bytes, as: UTF8.self)
            let library = try #require(maps.split(separator: "\n").first { $0.contains("libc.so") })
            let path = String(try #require(library.split(separator: " ").last))
            #expect(refusal(path)?.detail.hasSuffix("it has no function C_GetFunctionList") == true)
        }

        @Test("A module that every user can write is refused")
        func writable() throws {
            let fake = try FakeToken()
            try fake.writePIN("", mode: 0o666)
            #expect(refusal(fake.pinFile)?.detail.hasPrefix("every user of this machine can write") == true)
        }

        @Test("A function list of another version, or with gaps, is refused")
        func lists() throws {
            for change: (inout CK_FUNCTION_LIST) -> Void in [
                { $0.version.major = 1 }, { $0.version.major = 4 }, { $0.C_Sign = nil }, { $0.C_FindObjectsFinal = nil },
            ] {
                var list = fake_function_list().pointee
                change(&list)
                #expect(throws: TokenError.self) { try PKCS11Module.module(&list, name: "changed") }
            }
        }

        @Test("Two names of one library are one module")
        func once() throws {
            let first = try PKCS11Module.module(fake_function_list(), name: "one")
            #expect(try PKCS11Module.module(fake_function_list(), name: "two") === first)
        }
    }

    @Suite("PIN files")
    struct PINFileTests {
        @Test("One newline at the end of the PIN is dropped, and the PIN has 1 to 256 bytes")
        func content() async throws {
            let fake = try FakeToken()
            for (text, isGood) in [
                ("2468", true), ("2468\n", true), ("2468\n\n", false), ("", false), ("\n", false),
                (String(repeating: "1", count: 257), false), (String(repeating: "1", count: 258) + "\n", false),
            ] {
                try fake.writePIN(text)
                let token = try fake.token()
                let error = await failure { try await token.key(FakeToken.key) }
                #expect(error == nil ? isGood : !isGood, "\(text.count) bytes: \(String(describing: error))")
                // The PIN with two newlines is a wrong one; the others are not tried.
                #expect(error == nil || error?.code == (text.hasPrefix("2") ? .pinRefused : .pinUnusable))
                await token.ended()
            }
        }

        @Test("A file that others can read, a symbolic link and a folder are refused")
        func mode() async throws {
            let fake = try FakeToken()
            for mode in [0o640, 0o604, 0o660] {
                try fake.writePIN("2468", mode: mode)
                let error = await failure { try await fake.token().key(FakeToken.key) }
                #expect(error?.code == .pinUnusable)
                #expect(error?.detail == "the PIN file \(fake.pinFile) can be read by others; its mode must be 0600")
            }
            try fake.writePIN("2468")
            let link = fake.folder.appending(path: "link").path()
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: fake.pinFile)
            for path in [link, fake.folder.path(), fake.folder.appending(path: "missing").path()] {
                let error = await failure { try await fake.token { $0.pinFile = path }.key(FakeToken.key) }
                #expect(error?.code == .pinUnusable)
            }
            #expect(fake_calls(FakeLogin) == 0)
        }
    }
}

/// The error of a request; `nil` if it succeeded.
func failure<T>(_ request: () async throws -> T) async -> TokenError? {
    do {
        _ = try await request()
        return nil
    } catch { return error as? TokenError ?? TokenError(.failed, "another error: \(error)") }
}

extension Token {
    /// Closes the token, and waits until its session is closed: while it is logged in, the module looks at no other PIN of the process.
    func ended() async {
        close()
        while !hasEnded { try? await Task.sleep(for: .milliseconds(1)) }
    }
}
