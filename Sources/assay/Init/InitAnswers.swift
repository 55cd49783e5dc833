import ArgumentParser
import AssayCore
import AssayInstallation
import AssayProvisioning
import Foundation

/// What options and the terminal answer, as a plan.
struct InitAnswers {
    let questions: InitQuestions
    let command: InitCommand
    /// What was read from files, for people.
    private(set) var notes: [String] = []
    /// In the daemon's certificate.
    private(set) var names: [TransportName] = []

    init(questions: InitQuestions, command: InitCommand) { (self.questions, self.command) = (questions, command) }

    private struct Mistake: Error, CustomStringConvertible { let description: String }

    mutating func plan() throws -> InstallationPlan {
        let user = try choice(
            command.user, "Who are you? upload, provisioning, security or trial", usual: InstallationPlan.User.upload)
        let app = try questions.answer(
            command.app?.text, "The app's name in the configuration", usual: user == .provisioning ? "cameras" : "photos"
        ) { text in
            guard let app = AppID(text) else { throw Mistake(description: "a name is of the form [a-z0-9._-]{1,64}") }
            return app
        }
        guard let app else { throw ValidationError("Give --app.") }
        var plan = InstallationPlan(user: user, app: app, administrator: UInt32(geteuid()))
        if user == .provisioning {
            plan.manufacturer = try questions.answer(
                command.identity.manufacturer, "The manufacturer of the fleet", usual: "Example Cameras"
            ) { $0 }
        } else {
            plan.iOS = try iOS()
            plan.android = try android()
            if user == .trial, plan.iOS == nil, plan.android == nil {
                plan.iOS = try IOSApp(team: "TEAMID1234", bundle: "com.example.photos")
            }
        }
        plan.reach = try choice(
            command.daemon.reach, "How do callers reach the daemon? loopback, socket or network", usual: .loopback)
        (plan.port, plan.testPort) = (command.daemon.port, command.daemon.testPort)
        plan.storage = try storage()
        if let certificate = command.daemon.certificate, let key = command.daemon.privateKey {
            plan.serverCertificate = InstallationPlan.ServerCertificateFiles(
                certificate: try Self.path(certificate), key: try Self.path(key))
        }
        names = try transportNames(plan.reach)
        do throws(PlanError) { try plan.check() } catch {
            throw ValidationError(error.description.prefix(1).uppercased() + error.description.dropFirst() + ".")
        }
        return plan
    }

    private func choice<Value: CaseIterable & RawRepresentable>(
        _ given: Value?, _ question: String, usual: Value
    ) throws -> Value where Value.RawValue == String {
        try questions.answer(given?.rawValue, question, usual: usual.rawValue) { text in
            guard let value = Value(rawValue: text.lowercased()) else {
                throw Mistake(description: "want one of \(Value.allCases.map(\.rawValue).joined(separator: ", "))")
            }
            return value
        } ?? usual
    }

    // MARK: The app

    private func iOS() throws -> IOSApp? {
        let options = command.identity
        guard questions.isAsking || options.team != nil || options.bundle != nil else { return nil }
        let team = try questions.answer(options.team, "The team of your iOS app (empty: there is no iOS app)") {
            try IOSApp.team($0)
        }
        guard let team else {
            guard options.bundle == nil else { throw ValidationError("--bundle needs --team.") }
            return nil
        }
        let app = try questions.answer(options.bundle, "Its bundle identifier") { try IOSApp(team: team, bundle: $0) }
        guard let app else { throw ValidationError("--team needs --bundle.") }
        return app
    }

    private mutating func android() throws -> AndroidApp? {
        let options = command.identity
        guard questions.isAsking || options.apk != nil || options.package != nil || !options.signer.isEmpty else { return nil }
        var signers = InitSigners(alias: options.alias)
        for text in (options.apk.map { [$0] } ?? []) + options.signer { try add(text, to: &signers) }
        let name = try questions.answer(
            options.package ?? signers.packageName,
            "The package of your Android app, or its APK (empty: there is no Android app)"
        ) { $0 }
        guard var name else {
            guard signers.digests.isEmpty else { throw ValidationError("--signer needs --package, or an APK.") }
            return nil
        }
        if options.package == nil, name.hasSuffix(".apk") {
            try add(name, to: &signers)
            guard let package = signers.packageName else {
                throw Console.unreadable("\(name) does not tell a package: give --package")
            }
            name = package
        }
        if signers.digests.isEmpty {
            let more = try questions.answer(nil, "Who signs it: an APK, a JKS keystore, a certificate, or its SHA-256") {
                text in
                var more = InitSigners(alias: options.alias)
                try more.add(text)
                return more
            }
            guard let more else { throw ValidationError("--package needs --signer, or an APK in its place (--apk).") }
            signers = more
        }
        notes += signers.notes
        if !signers.notes.isEmpty {
            notes.append(
                "if Google Play signs the app, devices attest Play's certificate: add its SHA-256 from the Play Console (App integrity)"
            )
        }
        let digests = signers.digests
        return try questions.answer(name, "") { try AndroidApp(package: $0, signers: digests) }
    }

    private func add(_ text: String, to signers: inout InitSigners) throws {
        do throws(InitSigners.Failure) { try signers.add(text) } catch { throw Console.unreadable(error.description) }
    }

    // MARK: The daemon

    private func storage() throws -> InstallationPlan.Storage {
        let ca = try command.daemon.databaseCa.map(Self.path)
        let usual = PlannedConfiguration.File.ledger
        return try questions.answer(
            command.daemon.store, "Where is the ledger? A file, or postgresql://user:password@host/database", usual: usual
        ) { text in
            guard !DatabaseAddress.isURI(text) else { return .database(try DatabaseAddress(text), ca: ca) }
            guard ca == nil else { throw Mistake(description: "--database-ca is for a ledger in PostgreSQL") }
            return .file(text == usual ? text : try Self.path(text))
        } ?? .file(usual)
    }

    /// An absolute path as a configuration can have it.
    private static func path(_ text: String) throws -> String {
        guard text.firstInvisible == nil, !text.isEmpty else { throw ValidationError("A path has invisible characters.") }
        return URL(fileURLWithPath: text).standardizedFileURL.path
    }

    /// Those of options, or of this machine; and those of loopback, by which it is tried.
    private func transportNames(_ reach: InstallationPlan.Reach) throws -> [TransportName] {
        let machine = reach == .network ? [ProcessInfo.processInfo.hostName] : []
        let given = try command.daemon.host.map { text in
            guard let name = TransportName(text) else {
                throw ValidationError("--host is a DNS name or an IP address; found \"\(text.prefix(60))\".")
            }
            return name
        }
        let all =
            (given.isEmpty ? machine.compactMap(TransportName.init) : given)
            + ["localhost", "127.0.0.1"].compactMap(TransportName.init)
        return all.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }
}
