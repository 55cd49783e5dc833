import ArgumentParser
import AssayCore
import Foundation

/// Questions on the terminal, for what no option says. Without a terminal each has its default.
struct InitQuestions {
    /// Whether there is one to answer.
    let isAsking: Bool

    /// - Parameters:
    ///   - given: of an option.
    ///   - usual: what an empty answer means; `nil`: that there is none.
    ///   - read: throws a sentence about an answer that cannot be used. Of an option it is thrown on; on the terminal the question is repeated.
    func answer<Value>(
        _ given: String?, _ question: String, usual: String? = nil, _ read: (String) throws -> Value
    ) throws -> Value? {
        if let given { return try checked { try read(given) } }
        guard isAsking else { return try usual.map { usual in try checked { try read(usual) } } }
        while true {
            let text = try Self.line(question + (usual.map { " [\($0)]" } ?? "") + ": ")
            guard let answer = text.isEmpty ? usual : text else { return nil }
            do { return try read(answer) } catch { Console.say("  \(error)") }
        }
    }

    /// What is wrong with an option is wrong usage.
    private func checked<Value>(_ read: () throws -> Value) throws -> Value {
        do { return try read() } catch let error as any CustomStringConvertible & Error {
            throw ValidationError(error.description.prefix(1).uppercased() + error.description.dropFirst() + ".")
        }
    }

    private static func line(_ question: String) throws -> String {
        try? FileHandle.standardError.write(contentsOf: Data(question.utf8))
        guard let line = readLine() else {
            Console.say("")
            throw Console.failure("not_confirmed", "the questions were not answered: nothing is written")
        }
        return line.trimmingCharacters(in: .whitespaces)
    }
}
