import AssayAPI
import AssayCore
import Foundation

extension Assay_V1_Policy {
    private var firstSeen: Timestamp { Timestamp(unixMilliseconds: firstSeenUnixMs) }

    /// One line: when it was first in force, digest, app, and whether it is in force.
    var row: String {
        "\(firstSeen)  \(Hex.encode(digest))  \(app)" + (inForce ? "  " + Console.styled("in force", .good) : "")
    }

    /// What stands before the text, each line with the mark of a comment.
    var heading: [String] {
        [
            "# policy \(Hex.encode(digest))",
            "# of the app \(app), first in force \(firstSeen)\(inForce ? ", in force now" : "")",
        ]
    }

    var json: [String: Any] {
        var object: [String: Any] = [
            "app": app, "first_seen": firstSeen.description, "in_force": inForce, "size": Int64(size),
        ]
        object.add(hex: "digest", digest)
        return object
    }

    /// With the text.
    var wholeJSON: [String: Any] {
        var object = json
        object["text"] = text
        return object
    }
}

extension PolicyDifference {
    /// A line for each value, as in a patch.
    var shown: [String] {
        lines.flatMap { line in
            line.removed.map { Console.styled("- \(line.key) = \($0)", .bad) }
                + line.added.map { Console.styled("+ \(line.key) = \($0)", .good) }
        }
    }
}
