import AssayAPI
import AssayCore
import Foundation
import Glibc
import SwiftProtobuf
import Testing

@testable import AssayPlugins

@Suite("Configurations of plugins")
struct PluginConfigurationTests {
    let home: PluginHome

    init() throws { home = try PluginHome() }

    private func description(_ keys: [(String, Assay_Plugin_V1_ValueKind, Bool)]) throws -> PluginDescription {
        try PluginDescription(
            Messages.description({
                $0.configurationKeys = keys.map { key in
                    .with { ($0.name, $0.kind, $0.required, $0.meaning) = (key.0.data, key.1, key.2, "why") }
                }
            }), expected: "kiosk")
    }

    private func message(
        _ json: String, _ keys: [(String, Assay_Plugin_V1_ValueKind, Bool)]
    ) throws -> String {
        let configuration = PluginConfiguration(json: Array(json.utf8), folder: home.path)
        let described = try description(keys)
        do throws(PluginFault) {
            return String(decoding: try configuration.message(for: described), as: UTF8.self)
        } catch { return "! " + error.description }
    }

    @Test("Values arrive as they were written, and secret files as their content")
    func values() throws {
        try home.write("s3cr\"et\n", to: "key", mode: 0o600)
        let json =
            #"{"text":"a\"b\\c\u0001é","integer":9007199254740993,"number":1.50,"flag":true,"list":[1,"2",null],"object":{"a":{}},"any":-0.0,"key":"key"}"#
        let keys: [(String, Assay_Plugin_V1_ValueKind, Bool)] = [
            ("text", .text, true), ("integer", .integer, true), ("number", .number, true), ("flag", .boolean, true),
            ("list", .list, true), ("object", .object, true), ("any", .unspecified, true), ("key", .secretFile, true),
            ("left_out", .text, false),
        ]
        #expect(try message(json, keys) == json.replacing(#""key":"key""#, with: #""key":"s3cr\"et""#))
        #expect(try message("{}", []) == "{}")
    }

    @Test("All problems at the top are told at once: unknown and missing keys, and values of another kind")
    func problems() throws {
        #expect(
            try message(
                #"{"text":1,"integer":1.5,"more":"x","flag":"true","list":{},"object":[],"number":"1"}"#,
                [
                    ("text", .text, true), ("integer", .integer, true), ("flag", .boolean, true), ("list", .list, true),
                    ("object", .object, true), ("number", .number, true), ("key", .secretFile, true),
                ])
                == "! configuration: the key 'text' wants a text, and has a number; the key 'integer' wants an integer, and has a number; "
                + "the plugin has no key 'more'; it has 'flag', 'integer', 'key', 'list', 'number', 'object', 'text'; "
                + "the key 'flag' wants true or false, and has a text; the key 'list' wants a list, and has a section; "
                + "the key 'object' wants a section, and has a list; the key 'number' wants a number, and has a text; "
                + "the key 'key' is missing: why")
        #expect(try message(#"{"a":1}"#, []) == "! configuration: the plugin has no key 'a', and needs no configuration")
        #expect(try message("[]", []) == "! configuration: want a JSON object")
        #expect(try message(#"{"a":1,"a":2}"#, []) == "! configuration: want a JSON object")
        #expect(
            try message(#"{"key":1}"#, [("key", .secretFile, true)])
                == "! configuration: the key 'key' wants the path of a file, and has a number")
    }

    @Test("A secret file must be private, text, and not too large")
    func secrets() throws {
        func problem() throws -> String {
            try message(#"{"key":"key"}"#, [("key", .secretFile, true)])
        }
        let place = "! configuration: the key 'key': the file \(home.file("key"))"
        #expect(try problem() == place + " is missing")
        try home.write("secret", to: "key", mode: 0o640)
        #expect(try problem() == place + " can be read by others; its mode must be 0600")
        try home.write([0xFF], to: "key", mode: 0o600)
        #expect(try problem() == place + " is not text in UTF-8: write binary secrets in hexadecimal or Base64")
        try home.write("a\u{0}b", to: "key", mode: 0o600)
        #expect(try problem() == place + " is not text in UTF-8: write binary secrets in hexadecimal or Base64")
        try home.write("\n", to: "key", mode: 0o600)
        #expect(try problem() == place + " is empty")
        try home.write(String(repeating: "x", count: 65_537), to: "key", mode: 0o600)
        #expect(try problem() == place + " is larger than 64 KiB")
        try home.write("two\nlines\r\n", to: "key", mode: 0o400)
        #expect(try problem() == #"{"key":"two\u000alines"}"#)
        unlink(home.file("key"))
        try home.write("secret", to: "other", mode: 0o600)
        try FileManager.default.createSymbolicLink(atPath: home.file("key"), withDestinationPath: home.file("other"))
        #expect(try problem() == place + " cannot be opened: it is a symbolic link")
    }

    @Test("A configuration with its secrets has at most 256 KiB")
    func size() throws {
        let secret = String(repeating: "x", count: 60_000)
        var (json, keys): ([String], [(String, Assay_Plugin_V1_ValueKind, Bool)]) = ([], [])
        for index in 0..<5 {
            try home.write(secret, to: "key\(index)", mode: 0o600)
            json.append(#""key\#(index)":"key\#(index)""#)
            keys.append(("key\(index)", .secretFile, true))
        }
        #expect(
            try message("{\(json.joined(separator: ","))}", keys)
                == "! configuration: 300051 bytes with its secret files, the limit is 262144")
    }

    @Test("A secret that was exchanged makes another configuration, and the old one is used no more")
    func exchanged() throws {
        try home.write("one", to: "key", mode: 0o600)
        func read(_ json: String = #"{"key":"key"}"#) -> PluginConfiguration {
            PluginConfiguration(json: Array(json.utf8), folder: home.path)
        }
        let one = read()
        #expect(read() == one && read().digest == one.digest && read().secretsDigest == one.secretsDigest)
        try home.write("two", to: "key", mode: 0o600)
        let two = read()
        #expect(two != one && two.digest != one.digest && two.secretsDigest != one.secretsDigest)
        #expect(read("{}").digest != two.digest)
        let described = try description([("key", .secretFile, true)])
        #expect(throws: PluginFault.self) { try one.message(for: described) }
        #expect(String(decoding: try two.message(for: described), as: UTF8.self) == #"{"key":"two"}"#)
        do throws(PluginFault) { _ = try one.message(for: described) } catch {
            #expect(
                error.description
                    == "configuration: the key 'key': the file \(home.file("key")) has changed since the configuration was loaded: "
                    + "load it again")
        }
    }

    @Test("No dump of an entry shows its configuration")
    func secrecy() throws {
        try home.write("s3cret-in-file", to: "key", mode: 0o600)
        let entry = try home.entry { entry in
            entry.configuration = PluginConfiguration(
                json: Array(#"{"key":"key","password":"s3cret-in-entry"}"#.utf8), folder: home.path)
        }
        var dumped = ""
        dump(entry, to: &dumped)
        for text in ["\(entry)", String(reflecting: entry), dumped] { #expect(!text.contains("s3cret")) }
    }
}
