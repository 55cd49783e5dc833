package import AssayCore

extension BlockListing {
    /// The start of the page in each selected kind, and the SQL comparison of a block's target with it.
    package var starts: [(position: BlockPosition, comparison: String)] {
        switch choice {
        case .all: BlockKind.allCases.compactMap(start(in:))
        case .kind(let kind): [start(in: kind)].compactMap(\.self)
        case .target(let target): position.map { $0 < target.position } ?? true ? [(target.position, "=")] : []
        }
    }

    /// `nil` if the page begins after all blocks of the kind.
    private func start(in kind: BlockKind) -> (position: BlockPosition, comparison: String)? {
        guard let position, position.kind.rawValue >= kind.rawValue else { return (BlockPosition(kind, []), ">=") }
        return position.kind == kind ? (position, ">") : nil
    }
}
