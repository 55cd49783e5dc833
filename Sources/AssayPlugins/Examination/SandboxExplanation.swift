import AssayAPI
import CPluginProcess
import Foundation
import Glibc

/// What a plugin would miss in its sandbox: it runs with the launcher's `--explain`, which allows and logs what is not in the list of
/// system calls, and the kernel's log is read afterwards.
package struct SandboxExplanation: Sendable {
    /// Names of system calls, with how often each was made.
    package let calls: [String]
    /// Files, with the rights that were missing.
    package let files: [String]
    /// What else Landlock refused: ports, signals, abstract sockets.
    package let others: [String]
    /// A sentence.
    package let summary: String

    /// Runs the plugin's cases, or calls without cases.
    ///
    /// - Throws: what is missing for it.
    package init(_ plugin: ExaminedPlugin, _ options: PluginExamination.Options) async throws {
        guard geteuid() == 0 else { throw CheckSkipped("--explain-sandbox reads the kernel's log: run it as root") }
        let log = Glibc.open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard log >= 0 else {
            throw CheckSkipped("the kernel's log /dev/kmsg cannot be read: \(String(cString: strerror(errno)))")
        }
        defer { Glibc.close(log) }
        lseek(log, 0, SEEK_END)
        var explained = plugin
        explained.explains = true
        var examination = PluginExamination(explained, options)
        let runs = await examination.exercise()
        // The log is written a little later.
        try await Task.sleep(for: .milliseconds(300))
        let records = KernelAudit(Self.read(log), processes: Set(runs.processes))
        (calls, files, others) = (records.calls, records.files, records.others)
        let missed = calls.count + files.count + others.count
        if missed > 0 {
            summary = "the sandbox would refuse the above. Calls that answer ENOSYS may be harmless: libraries fall back"
        } else if records.isAudited {
            summary = "the sandbox refuses nothing that the plugin did in \(runs.calls) calls"
        } else {
            summary =
                "the kernel's log has no audit records: either the plugin missed nothing in \(runs.calls) calls, or this kernel does not write "
                + "them (CONFIG_AUDIT, /proc/sys/kernel/seccomp/actions_logged)"
        }
        if let failure = runs.failure {
            throw CheckSkipped("the plugin failed also without the sandbox's refusals: \(failure)")
        }
    }

    private static func read(_ log: CInt) -> [String] {
        var lines: [String] = []
        var buffer = [UInt8](repeating: 0, count: 8192)
        while true {
            let count = Glibc.read(log, &buffer, buffer.count)
            // Records that were overwritten meanwhile.
            if count < 0, errno == EPIPE || errno == EINTR { continue }
            guard count > 0 else { return lines }
            lines.append(String(decoding: buffer.prefix(count), as: UTF8.self))
        }
    }
}

/// Audit records of the kernel's log, of some processes.
struct KernelAudit {
    private(set) var calls: [String] = []
    private(set) var files: [String] = []
    private(set) var others: [String] = []
    /// Whether there is any record of these processes, or any of Landlock.
    private(set) var isAudited = false

    init(_ lines: [String], processes: Set<Int32>) {
        var counts: [String: Int] = [:]
        var domains: Set<String> = []
        var denials: [(domain: String, blockers: String, line: String)] = []
        for line in lines {
            switch Self.value("type", in: line) {
            // AUDIT_SECCOMP
            case "1326":
                guard let process = Self.value("pid", in: line).flatMap({ Int32($0) }), processes.contains(process),
                    let number = Self.value("syscall", in: line).flatMap({ Int32($0) })
                else { continue }
                isAudited = true
                let name = assay_system_call_name(number).map { String(cString: $0) } ?? "system call \(number)"
                counts[name, default: 0] += 1
            // AUDIT_LANDLOCK_ACCESS
            case "1423":
                guard let domain = Self.value("domain", in: line), let blockers = Self.value("blockers", in: line) else {
                    continue
                }
                denials.append((domain, blockers, line))
            // AUDIT_LANDLOCK_DOMAIN
            case "1424":
                guard let process = Self.value("pid", in: line).flatMap({ Int32($0) }), processes.contains(process),
                    let domain = Self.value("domain", in: line)
                else { continue }
                domains.insert(domain)
            default: break
            }
        }
        calls = counts.sorted { $0.key < $1.key }.map { "\($0.key) (\($0.value) times)" }
        for denial in denials where domains.contains(denial.domain) {
            isAudited = true
            if let path = Self.value("path", in: denial.line) {
                files.append("\(path): \(denial.blockers)")
            } else {
                let more = ["daddr", "dest", "opid", "ocomm"].compactMap { name in
                    Self.value(name, in: denial.line).map { "\(name) \($0)" }
                }
                others.append(([denial.blockers] + more).joined(separator: ", "))
            }
        }
        (files, others) = (Array(Set(files)).sorted(), Array(Set(others)).sorted())
    }

    /// The value of a name in a record, without quotation marks.
    private static func value(_ name: String, in line: String) -> String? {
        for part in line.split(whereSeparator: { " \n;,".contains($0) }) where part.hasPrefix(name + "=") {
            return part.dropFirst(name.count + 1).trimmingCharacters(in: CharacterSet(charactersIn: "\""))
        }
        return nil
    }
}

extension PluginExamination {
    /// Starts the plugin, and makes calls: those of the cases, or bodies that are no evidence.
    mutating func exercise() async -> (processes: [Int32], calls: Int, failure: String?) {
        var processes: [Int32] = []
        var calls = 0
        do {
            let raw = try await RawPlugin(plugin, host: host)
            processes.append(raw.process.id)
            let response = try await raw.describe()
            take(try PluginDescription(response, expected: String(decoding: response.name, as: UTF8.self)))
            raw.halfClose()
            _ = try await raw.end()
            let session = try await open()
            processes.append(session.process.id)
            for (request, world) in try requests() {
                _ = try await judge(session, request, in: world, "evidence")
                calls += 1
            }
            _ = try await session.health(timeout: .enforced(timeout))
            _ = await session.close()
            return (processes, calls, nil)
        } catch { return (processes, calls, "\(error)") }
    }

    /// The plugin's name and version, once it was started.
    package var name: String { description?.name ?? plugin.entry.name }
    package var version: String { description?.version ?? "" }
}
