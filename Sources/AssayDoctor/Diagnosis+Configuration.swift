import AssayAPI
import AssayCore

extension InstallationFacts {
    /// What check-config says of the file: it is not judged a second time.
    var configurationFindings: [DoctorFinding] {
        switch configuration {
        case nil:
            return []
        case .unchecked(let file, let why):
            return [
                DoctorFinding(
                    .warning, .configurationUnchecked, file, "was not checked: \(why)",
                    do: "run it as a user who may read the file and the files that it names, with assayd beside assay")
            ]
        case .checked(let file, _, let problems, _) where !problems.isEmpty:
            return problems.map { problem in
                DoctorFinding(
                    .problem, .configurationUnusable, Self.place(file, problem.line), problem.text,
                    do: "correct it: the daemon does not start with this file, and refuses to reload it")
            }
        case .checked(let file, let digest, _, let findings):
            let counted = findings.filter { !$0.isIntended && $0.severity != "note" }
            var all = counted.map { finding in
                DoctorFinding(
                    finding.severity == "failure" ? .problem : .warning, finding.code, Self.place(file, finding.line),
                    (finding.path.isEmpty ? "" : finding.path + ": ") + finding.message,
                    do: "correct it, try it (assayd check-config --strict \(file)), then systemctl reload assayd")
            }
            if counted.isEmpty {
                let intended = findings.count { $0.isIntended && $0.severity != "note" }
                let also =
                    intended == 0
                    ? "" : "; \(intended) things that the file asks for in so many words are in 'assayd check-config'"
                all.append(DoctorFinding(.ok, .configuration, file, "can be used, and works on this machine" + also))
            }
            return all + differenceFindings(file, digest)
        }
    }

    /// Whether the daemon runs with the file as it is now.
    private func differenceFindings(_ file: String, _ digest: String) -> [DoctorFinding] {
        guard case .answered(let status, _) = daemon, !digest.isEmpty, Hex.encode(status.configuration.digest) != digest else {
            return []
        }
        return [
            DoctorFinding(
                .warning, .configurationDiffers, file,
                "the daemon that answers runs with another configuration than the file has now",
                do:
                    "reload it (systemctl reload assayd), restart it if a change needs that, or name the file that it was started with"
            )
        ]
    }

    private static func place(_ file: String, _ line: Int?) -> String { line.map { "\(file):\($0)" } ?? file }
}
