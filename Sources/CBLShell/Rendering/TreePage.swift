import CBLBase
import CBLLanguage
import CBLStore
import CBLWorkbench

/// What `tree` prints of a database.
struct TreePage {
    private struct Line {
        let depth: Int
        let name: String
        var documents = ""
        let bytes: Int
    }

    private let path: String
    private let space: StorageSpace
    private let documents: [CollectionName: Snapshot.Counts]

    init(path: String, space: StorageSpace, counts: [Snapshot.Counts]) {
        self.path = InfoPage.fullPath(path)
        self.space = space
        documents = Dictionary(uniqueKeysWithValues: zip(space.collections.map(\.name), counts))
    }

    /// Collections by scope: those of the default scope by themselves, first.
    private var scopes: [(name: String, collections: [StorageSpace.Collection])] {
        var scopes: [(name: String, collections: [StorageSpace.Collection])] = []
        for collection in space.collections.sorted(by: { $0.name < $1.name }) {
            if let place = scopes.firstIndex(where: { $0.name == collection.name.scope }) {
                scopes[place].collections.append(collection)
            } else {
                scopes.append((collection.name.scope, [collection]))
            }
        }
        return scopes.sorted { one, other in
            let (first, second) = (one.name == CollectionName.defaultName, other.name == CollectionName.defaultName)
            return first != second ? first : one.name < other.name
        }
    }

    func write(to session: Session) throws {
        let lines = lines
        let total = Double(max(1, space.bytes))
        var rows = lines.map { line in
            let share = PlaceText.share(line.bytes, space.bytes)
            return [String(repeating: "  ", count: line.depth) + line.name, line.documents, SizeText.text(line.bytes), share]
        }
        let used = (0..<4).reduce(0) { sum, column in
            sum + Table.gap + rows.reduce(Self.titles[column].utf8.count) { max($0, DisplayWidth.of($1[column])) }
        }
        let bar = Bar(width: session.terminal.outputIsTerminal ? min(40, max(4, session.terminal.width - used)) : 20)
        for (index, line) in lines.enumerated() { rows[index].append(bar.text(Double(line.bytes), of: total)) }
        var table = Table([.left(Self.titles[0]), .right(Self.titles[1]), .right(Self.titles[2]), .right(Self.titles[3]), .left("")])
        for row in rows { table.add(row) }
        try table.write(to: session)
        if space.isEstimated {
            session.notice("(Sizes of tables are estimates, without what is in the log. --exact reads everything.)")
        }
    }

    private static let titles = ["Part", "Documents", "Size", "Share"]

    private var lines: [Line] {
        let name = PathText.name(path)
        var lines = [Line(depth: 0, name: name, documents: count(space.collections), bytes: space.bytes)]
        for (scope, collections) in scopes {
            let isDefault = scope == CollectionName.defaultName
            if !isDefault {
                lines.append(Line(depth: 1, name: scope, documents: count(collections), bytes: collections.reduce(0) { $0 + $1.bytes }))
            }
            for collection in collections {
                let depth = isDefault ? 1 : 2
                lines.append(Line(depth: depth, name: collection.name.name, documents: count([collection]), bytes: collection.bytes))
                guard !collection.indexes.isEmpty else { continue }
                lines.append(Line(depth: depth + 1, name: "(documents)", bytes: collection.documentBytes))
                for index in collection.indexes.sorted(by: { $0.index.name < $1.index.name }) {
                    lines.append(Line(depth: depth + 1, name: "\(index.index.name) (\(index.index.kindName) index)", bytes: index.bytes))
                }
            }
        }
        let blobs = "\(ProgressLine.grouped(space.blobCount)) blob\(space.blobCount == 1 ? "" : "s")"
        let rest: [(String, Int)] = [
            (blobs, space.blobBytes), ("tables of the database", space.otherBytes), ("free pages", space.freeBytes),
            ("log", space.logBytes),
            ("other files", space.fileBytes),
        ]
        return lines + rest.filter { $0.1 > 0 }.map { Line(depth: 1, name: $0.0, bytes: $0.1) }
    }

    private func count(_ collections: [StorageSpace.Collection]) -> String {
        ProgressLine.grouped(collections.reduce(0) { $0 + (documents[$1.name]?.live ?? 0) })
    }

    func writeFacts(to session: Session) throws {
        try session.writeFacts { line in
            line.add("path", path)
            line.add("size", space.bytes)
            line.add("estimated", space.isEstimated)
            line.add("collections", objects: space.collections) { collection, line in
                line.add("name", collection.name.description)
                line.add("scope", collection.name.scope)
                line.add("documents", documents[collection.name]?.live ?? 0)
                line.add("deleted", documents[collection.name]?.deleted ?? 0)
                line.add("size", collection.bytes)
                line.add("documentSize", collection.documentBytes)
                line.add("indexes", objects: collection.indexes) { index, line in
                    line.add("name", index.index.name)
                    line.add("kind", index.index.kindName)
                    line.add("size", index.bytes)
                }
            }
            line.add("blobs", space.blobCount)
            line.add("blobSize", space.blobBytes)
            line.add("tableSize", space.otherBytes)
            line.add("freeSize", space.freeBytes)
            line.add("logSize", space.logBytes)
            line.add("fileSize", space.fileBytes)
        }
    }
}
