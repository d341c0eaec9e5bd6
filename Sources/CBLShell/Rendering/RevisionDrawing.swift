import CBLStore
import CBLWorkbench

/// The revisions of a document as a tree, children below their parent and further to the right:
///
///     Document "doc1", Conflicted
///      * 1-0a69bba1   ----- #76
///        * 2-99633641   ----L #77, 14 bytes  [CURRENT]
struct RevisionDrawing {
    // A history of thousands of generations shall not make a picture of millions of blanks.
    private static let deepest = 100

    private struct Node {
        let revision: StoredRevision
        let depth: Int
    }

    private let document: Document
    private let showsRemotes: Bool
    private let nodes: [Node]
    /// Version vectors know no parents.
    private let isTree: Bool

    init(_ document: Document, showsRemotes: Bool) throws {
        self.document = document
        self.showsRemotes = showsRemotes
        let decoded = try document.revisions()
        isTree = decoded.tree != nil
        let revisions = document.storedRevisions(of: decoded)
        // Without parents the order is the stored one, the current revision first.
        nodes = isTree ? RevisionDrawing.arrange(revisions) : revisions.map { Node(revision: $0, depth: 0) }
    }

    /// The remotes that revisions are marked with, in ascending order.
    var remotes: [UInt16] { Set(nodes.flatMap(\.revision.remotes)).sorted() }

    // Parents before children, the current revision last among its siblings. Without recursion: a chain can be long.
    private static func arrange(_ revisions: [StoredRevision]) -> [Node] {
        var children: [RevisionID?: [Int]] = [:]
        for (index, revision) in revisions.enumerated() { children[revision.parent, default: []].append(index) }
        var result: [Node] = []
        var pending = (children[nil] ?? []).map { (index: $0, depth: 0) }
        while let next = pending.popLast() {
            let revision = revisions[next.index]
            result.append(Node(revision: revision, depth: next.depth))
            pending += (children[revision.id] ?? []).map { (index: $0, depth: next.depth + 1) }
        }
        return result
    }

    func write(to session: Session) throws {
        try session.output.write("Document \"\(document.id)\"")
        for (flag, name) in [(DocumentFlags.deleted, "Deleted"), (.conflicted, "Conflicted"), (.hasAttachments, "Has Attachments")] {
            if document.flags.contains(flag) { try session.output.write(", " + name) }
        }
        try session.output.write("\n")
        let width = nodes.map { 2 * indentation($0) + $0.revision.text.utf8.count }.max() ?? 0
        for node in nodes {
            try Interruption.check()
            try write(node, width, to: session)
        }
    }

    private func indentation(_ node: Node) -> Int { min(node.depth, RevisionDrawing.deepest) }

    private func write(_ node: Node, _ width: Int, to session: Session) throws {
        let output = session.output
        let indentation = 2 * indentation(node)
        let text = node.revision.text
        try output.write(repeating: UInt8(ascii: " "), count: 1 + indentation)
        try output.write("* ")
        if !isTree {
            // Version vectors are long: what is said about them stands on the next line.
            try session.write("[\(text)]", node.revision.style)
            try output.write("\n   ")
        } else {
            try session.write(text, node.revision.style)
            try output.write(repeating: UInt8(ascii: " "), count: width - indentation - text.utf8.count + 3)
        }
        try output.write(node.revision.flagLetters)
        try output.write(" #\(node.revision.sequence)")
        if let size = node.revision.bodySize { try output.write(", \(size) bytes") }
        if node.revision.isCurrent {
            try output.write("  ")
            try session.write("[CURRENT]", .strong)
        }
        if showsRemotes { for remote in node.revision.remotes { try output.write("  [REMOTE#\(remote)]") } }
        try output.write("\n")
    }
}

extension StoredRevision {
    private static let names: [(flag: RevisionTree.Flags, letter: Character, name: String)] = [
        (.conflict, "C", "conflict"), (.hasAttachments, "A", "attachments"), (.keepBody, "K", "keepBody"), (.leaf, "L", "leaf"),
    ]

    /// What stands out in a drawing: the current revision, conflicts, deletions.
    fileprivate var style: Style {
        if flags.contains(.deleted) || flags.contains(.closed) { return .removed }
        if isCurrent { return .strong }
        return flags.contains(.conflict) ? .warning : .id
    }

    /// `D----`, with a dash for what the revision is not.
    fileprivate var flagLetters: String {
        let first = flags.contains(.closed) ? "X" : flags.contains(.deleted) ? "D" : "-"
        return StoredRevision.names.reduce(first) { $0 + (flags.contains($1.flag) ? String($1.letter) : "-") }
    }

    var flagNames: [String] {
        var names = StoredRevision.names.filter { flags.contains($0.flag) }.map(\.name)
        if flags.contains(.closed) { names.insert("closed", at: 0) }
        if flags.contains(.deleted) { names.insert("deleted", at: 0) }
        return names
    }
}
