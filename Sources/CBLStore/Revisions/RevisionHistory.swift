/// A revision and what it descends from: a version vector, or tree IDs from the newest to the oldest, or a vector with tree IDs behind it
/// from the time before the database used vectors. This is the form in which histories travel.
package struct RevisionHistory: Hashable, Sendable {
    package var vector: VersionVector
    package var treeIDs: [RevisionID]

    package init(vector: VersionVector = VersionVector(), treeIDs: [RevisionID] = []) {
        self.vector = vector
        self.treeIDs = treeIDs
    }

    /// The revision itself.
    package var revision: RevisionID? { vector.current.map { RevisionID($0) } ?? treeIDs.first }

    /// The history with one source's name replaced: `*` by the real one before it is sent, and back when it is received.
    package func replacing(_ source: SourceID, by replacement: SourceID) -> RevisionHistory {
        RevisionHistory(vector: vector.replacing(source, by: replacement), treeIDs: treeIDs)
    }
}

extension RevisionHistory: CustomStringConvertible {
    package init(parsing text: String) throws(RevisionError) {
        self.init()
        var versions: [Version] = []
        var currentCount: Int?
        var text = text
        let result = text.withUTF8 { bytes in
            Result { () throws(RevisionError) in
                try RevisionHistory.split(UnsafeRawBufferPointer(bytes)) { (item, isLastOfCurrent) throws(RevisionError) in
                    if item.contains(UInt8(ascii: "@")) {
                        guard treeIDs.isEmpty else { throw RevisionHistory.bad(bytes, "a version follows a tree ID") }
                        versions.append(try Version(text: item))
                    } else {
                        treeIDs.append(try RevisionID(text: item))
                    }
                    if isLastOfCurrent { currentCount = versions.count }
                }
            }
        }
        try result.get()
        if versions.isEmpty, treeIDs.isEmpty { throw .badID(text, reason: "it is empty") }
        if versions.isEmpty, currentCount != nil { throw .badID(text, reason: "a semicolon follows a tree ID") }
        vector = VersionVector(unchecked: versions, currentCount: currentCount ?? versions.count)
        if let reason = vector.invalidity { throw .badID(text, reason: reason) }
    }

    /// Hands out the items between the commas and the semicolon, of which there may be one.
    private static func split(
        _ text: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer, _ isLastOfCurrent: Bool) throws(RevisionError) -> Void
    ) throws(RevisionError) {
        var start = 0
        var hasSemicolon = false
        while start < text.count {
            let end = text[start...].firstIndex { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: ";") } ?? text.count
            let isSemicolon = end < text.count && text[end] == UInt8(ascii: ";")
            if isSemicolon, hasSemicolon { throw bad(text, "it has two semicolons") }
            hasSemicolon = hasSemicolon || isSemicolon
            guard start < end else { throw bad(text, "an item is empty") }
            try body(UnsafeRawBufferPointer(rebasing: text[start..<end]), isSemicolon)
            start = end + 1
            while start < text.count, text[start] == UInt8(ascii: " ") { start += 1 }
            guard start < text.count || isSemicolon || end == text.count else { throw bad(text, "it ends in a comma") }
        }
    }

    private static func bad(_ text: some Collection<UInt8>, _ reason: String) -> RevisionError {
        .badID(String(decoding: text, as: UTF8.self), reason: reason)
    }

    package var description: String {
        let trees = treeIDs.map(\.text).joined(separator: ", ")
        guard !vector.isEmpty, !trees.isEmpty else { return vector.isEmpty ? trees : vector.description }
        let text = vector.description
        if text.hasSuffix(";") { return text + " " + trees }
        return text + (vector.versions.count > vector.currentCount ? ", " : "; ") + trees
    }
}

extension Version {
    /// The version that stands for a tree ID among versions: generation and the first five bytes of the digest as its time.
    ///
    /// A generation beyond 2²³ − 1 has no room; it counts as that.
    package init(legacy id: RevisionID) {
        var time = UInt64(min(id.generation, 0x7F_FFFF)) << 40
        id.withDigest { digest in
            for (place, byte) in digest.prefix(5).enumerated() { time |= UInt64(byte) << UInt64(32 - 8 * place) }
        }
        self.init(time: time, source: .revisionTree)
    }
}

// Comparing histories when vectors and trees meet.
extension RevisionHistory {
    package func order(relativeTo other: RevisionHistory) -> RevisionOrder {
        if stands(for: other.vector.current) || other.stands(for: vector.current) { return .same }
        return RevisionHistory.combine(
            Part(vector.order(relativeTo: other.vector), vector.isEmpty, other.vector.isEmpty),
            Part(RevisionHistory.order(treeIDs, relativeTo: other.treeIDs), treeIDs.isEmpty, other.treeIDs.isEmpty))
    }

    /// Whether this is a tree ID alone, equivalent to a version.
    private func stands(for version: Version?) -> Bool {
        guard vector.isEmpty, let id = treeIDs.first, let version else { return false }
        return Version(legacy: id) == version
    }

    private static func order(_ a: [RevisionID], relativeTo b: [RevisionID]) -> RevisionOrder {
        guard let place = a.firstIndex(where: b.contains) else {
            return a.isEmpty ? (b.isEmpty ? .same : .older) : b.isEmpty ? .newer : .conflict
        }
        switch (place > 0, b.first != a[place]) {
        case (false, false): return .same
        case (true, false): return .newer
        case (false, true): return .older
        case (true, true): return .conflict
        }
    }

    /// How the vectors, or the tree IDs, of two histories stand to each other.
    private enum Part {
        case bothEmpty, emptyHere, emptyThere, same, older, newer, conflict

        init(_ order: RevisionOrder, _ isEmptyHere: Bool, _ isEmptyThere: Bool) {
            switch (order, isEmptyHere, isEmptyThere) {
            case (_, true, true): self = .bothEmpty
            case (_, true, false): self = .emptyHere
            case (_, false, true): self = .emptyThere
            case (.same, _, _): self = .same
            case (.older, _, _): self = .older
            case (.newer, _, _): self = .newer
            case (.conflict, _, _): self = .conflict
            }
        }

        /// What this part says if the other has nothing to say.
        var order: RevisionOrder {
            switch self {
            case .bothEmpty, .same: .same
            case .emptyHere, .older: .older
            case .emptyThere, .newer: .newer
            case .conflict: .conflict
            }
        }
    }

    /// A side that lacks one part can only be older, if the other part agrees; two sides that have both must not contradict.
    private static func combine(_ vectors: Part, _ trees: Part) -> RevisionOrder {
        switch (vectors, trees) {
        case (.conflict, _), (_, .conflict): .conflict
        case (.bothEmpty, _): trees.order
        case (_, .bothEmpty), (_, .same): vectors.order
        case (.emptyHere, .emptyHere), (.emptyHere, .older): .older
        case (.emptyThere, .emptyThere), (.emptyThere, .newer): .newer
        default: .conflict
        }
    }
}
