import CBLBase
import CBLFleece
import CBLStore
import CBLWorkbench

extension Output: TextSink {}

/// The line that tells of progress; an exporter begins one for each table that it writes, and moves it on with each document.
private final class ShownLine {
    @exclusivity(unchecked) var line: ProgressLine?
}

extension Transfer {
    /// Writes documents to a file, standard output, or a directory; gives their number. A file appears under its name when it is complete.
    func write(
        _ exporter: Exporter, _ snapshot: Snapshot, _ collection: CollectionName, guardsFormulas: Bool, to target: Endpoint
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
        switch target {
        case .json(let path, let layout):
            return try TargetFile.write(path, session) {
                try exporter.writeJSON(snapshot, collection, isArray: layout == .array, to: $0)
            }
        case .table(let path, let delimiter):
            let cells = DelimitedText(delimiter: delimiter, guardsFormulas: guardsFormulas)
            return try TargetFile.write(path, session) { try exporter.writeTable(snapshot, collection, cells, to: $0) }
        case .directory(let path):
            try TargetFile.makeDirectory(path)
            let folder = PathText.hasEnding("/", path) ? path : path + "/"
            return try exporter.writeFiles(snapshot, collection) { name, render in
                try TargetFile.replace(folder + name) { try $0.write(lines: render) }
            }
        case .database, .remote: preconditionFailure("not a form of text")
        }
    }
}
