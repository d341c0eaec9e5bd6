import CBLBase
import CBLFleece
import CBLStore
import CBLWorkbench
import Glibc

extension Output: TextSink {}

/// The line that tells of progress; an exporter begins one for each table that it writes, and moves it on with each document.
private final class ShownLine {
    @exclusivity(unchecked) var line: ProgressLine?
}

/// The blobs that exported documents refer to.
final class ExportedBlobs {
    var digests: Set<String> = []

    /// Writes them into the folder of blobs of a directory. What is there already is what its name says.
    func write(from store: BlobFolder, to directory: String, _ session: Session) throws {
        guard !digests.isEmpty else { return }
        let folder = BlobExchange.folder(in: PathText.closed(directory))
        var missing = 0
        let progress = session.progress("Exporting", total: digests.count, unit: "blobs")
        defer { progress.finish() }
        try TargetFile.makeDirectory(inside: directory, BlobExchange.folderName)
        for text in digests.sorted() {
            try Interruption.check()
            defer { progress.advance() }
            guard let digest = BlobDigest(text), let size = store.size(of: digest) else {
                missing += 1
                continue
            }
            let path = folder + digest.fileName
            var facts = stat()
            if lstat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG, facts.st_size == size { continue }
            try TargetFile.replace(path) { output in
                try store.read(digest, checking: Interruption.check) { piece in
                    try Interruption.check()
                    try output.write(lines: { $0.append(piece) })
                }
            }
        }
        progress.finish()
        if missing > 0 { session.warn("\(Self.count(missing)) of these documents \(missing == 1 ? "is" : "are") missing in the database") }
    }

    /// Says that they are not in a file.
    func tellThatTheyAreLeftOut(_ session: Session) {
        guard !digests.isEmpty else { return }
        session.notice(
            "\(Self.count(digests.count)) of these documents \(digests.count == 1 ? "is" : "are") not in it: "
                + "an export into a directory (DIR/), dump and cp take blobs along.")
    }

    static func count(_ number: Int) -> String { number == 1 ? "1 blob" : "\(ProgressLine.grouped(number)) blobs" }
}

extension Transfer {
    /// Writes documents to a file, standard output, or a directory; gives their number. A file appears under its name when it is complete.
    func write(
        _ exporter: Exporter, _ snapshot: Snapshot, _ collection: CollectionName, guardsFormulas: Bool, to target: Endpoint,
        _ blobs: ExportedBlobs
    ) throws -> Int {
        let session = invocation.session
        var exporter = exporter
        let shown = ShownLine()
        defer { shown.line?.finish() }
        exporter.begin = { total in
            shown.line?.finish()
            shown.line = session.progress("Exporting", total: total, unit: "documents")
        }
        exporter.progress = { shown.line?.advance() }
        exporter.check = { try Interruption.check() }
        exporter.damaged = { session.report(damaged: $0) }
        exporter.blob = { blobs.digests.insert($0) }
        switch target {
        case .json(let path, let layout):
            return try TargetFile.write(path, session) {
                try exporter.writeJSON(snapshot, collection, isArray: layout == .array, to: $0)
            }
        case .table(let path, let delimiter):
            let cells = DelimitedText(delimiter: delimiter ?? .comma, guardsFormulas: guardsFormulas)
            return try TargetFile.write(path, session) { try exporter.writeTable(snapshot, collection, cells, to: $0) }
        case .directory(let path):
            try TargetFile.makeDirectory(path)
            let folder = PathText.closed(path)
            return try exporter.writeFiles(snapshot, collection) { name, render in
                try TargetFile.replace(folder + name) { try $0.write(lines: render) }
            }
        case .database, .remote: preconditionFailure("not a form of text")
        }
    }
}
