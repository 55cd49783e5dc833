import AssayCommandLine
import AssayCore
import AssayInstallation
import Foundation

/// What `assay init` says at its end.
struct InitReport {
    let installation: InstallationFolder
    let checks: [InitCheck]
    let notes: [String]

    private typealias File = PlannedConfiguration.File
    private var plan: InstallationPlan { installation.plan }

    // MARK: Output

    var lines: [String] {
        var lines = checks.flatMap { check -> [String] in
            let purpose = check.written.kind == .test ? "for virtual devices" : "for real devices"
            return ["\(check.written.file)  \(purpose): \(Self.verdict(check))"] + check.problems.map { "  " + $0 }
        }
        if !notes.isEmpty { lines += [""] + notes.map { "- " + $0 } }
        lines += ["", "Next, with the virtual devices:", ""] + next.map { "  " + $0 }
        if !production.isEmpty { lines += ["", "Then, for real devices:", ""] + production.map { "  " + $0 } }
        return lines
    }

    private static func verdict(_ check: InitCheck) -> String {
        guard check.isUsable else { return Console.styled("it cannot be used here as it is", .bad) }
        guard let why = check.unchecked else { return Console.styled("good", .good) }
        return "it can be read; this machine was not looked at (\(why))"
    }

    var json: [String: Any] {
        [
            "folder": installation.path, "next": next, "production": production, "notes": notes,
            "configurations": checks.map { check in
                [
                    "kind": check.written.kind.rawValue, "file": check.written.file, "good": check.isUsable,
                    "problems": check.problems, "checked": check.unchecked == nil,
                ] as [String: Any]
            },
        ]
    }

    // MARK: Commands

    private func word(_ name: String, _ kind: PlannedConfiguration.Kind) -> String {
        ShellWords.word(installation.file(name, kind))
    }

    /// How the administrator calls.
    private func socket(_ kind: PlannedConfiguration.Kind) -> String {
        "--server " + ShellWords.word("unix:" + installation.file(File.socket, kind))
    }

    /// How a caller with a key calls.
    private func caller(_ key: FirstKey, _ kind: PlannedConfiguration.Kind) -> String {
        let keyFile = "--key-file " + word("\(key.name).key", kind)
        guard plan.reach != .socket else { return socket(kind) + " " + keyFile }
        let port = PlannedConfiguration(plan, kind).port
        return "--server https://localhost:\(port) --tls-ca \(word(File.authority, kind)) \(keyFile)"
    }

    private func start(_ kind: PlannedConfiguration.Kind) -> String {
        "\(ShellWords.program("assayd")) --config \(word(File.configuration, kind))"
    }

    /// The key is printed once: into a file that only its owner can read.
    private func makeKey(_ key: FirstKey, _ kind: PlannedConfiguration.Kind) -> String {
        let roles = key.roles.map { "--role \($0.rawValue)" }.joined(separator: " ")
        let apps = key.roles.contains(.observe) ? "" : " --app \(plan.app.text)"
        return "(umask 077; \(ShellWords.program("assay")) key create \(key.name) \(roles)\(apps) \(socket(kind)) --retries 5 "
            + ">\(word("\(key.name).key", kind)))"
    }

    /// A test daemon, a caller, and what it does.
    var next: [String] {
        let assay = ShellWords.program("assay")
        let daemon = start(.test) + " >\(word("assayd.log", .test)) 2>&1 &"
        let app = "--app \(plan.app.text)"
        if plan.user == .provisioning {
            let serial = "\(app) --serial \(InstallationFolder.serial)"
            return [
                daemon, "\(assay) enrol add \(serial) \(socket(.test)) --retries 5",
                "\(assay) provision device \(serial) --csr \(word(File.camera + "/request.pem", .test)) "
                    + "--out-dir \(word(File.camera, .test)) \(socket(.test))",
            ]
        }
        guard let key = plan.firstKeys.last else { return [daemon] }
        let call =
            switch plan.user {
            case .security: "\(assay) device list \(app) \(caller(key, .test))"
            case .upload, .trial, .provisioning:
                plan.iOS == nil
                    ? "\(assay) simulate android session \(word(File.android, .test)) \(app) \(caller(key, .test))"
                    : "\(assay) simulate session \(word(File.phone, .test)) \(app) \(caller(key, .test))"
            }
        return [daemon, makeKey(key, .test), call]
    }

    /// The daemon, and a key for each service that calls it.
    var production: [String] {
        guard installation.kinds.contains(.production) else { return [] }
        return [start(.production)] + plan.firstKeys.map { makeKey($0, .production) }
    }
}
