import CBLBase
import CBLFleece
import CBLStore

/// Documents as the JSON files of a directory: `airline_10.json` is the document `airline_10`, unless it says what its ID is.
package final class DirectorySource: DocumentSource {
    private let directory: String
    private let idKey: String
    private let check: () throws -> Void
    private var files: ArraySlice<String>
    private let count: Int

    package private(set) var place = ""

    package var name: String { directory }
    package var position: Int { count - files.count }
    package var size: Int? { count }

    /// `check` is called for each file, and may throw.
    package init(_ directory: String, idKey: String, check: @escaping () throws -> Void = {}) throws(FileError) {
        self.check = check
        self.directory = PathText.closed(directory)
        self.idKey = idKey
        files = try DirectorySource.files(in: directory).sorted()[...]
        count = files.count
    }

    /// Whether there is nothing to import from it.
    package static func isWithoutFiles(_ directory: String) throws(FileError) -> Bool { try files(in: directory).isEmpty }

    private static func files(in directory: String) throws(FileError) -> [String] {
        try names(in: directory).filter { PathText.hasEnding(".json", $0) || PathText.hasEnding(".json5", $0) }
    }

    private static func names(in directory: String) throws(FileError) -> [String] {
        guard let names = try? FolderTree.names(in: directory) else {
            throw FileError("\(directory): cannot be read as a directory")
        }
        return names
    }

    /// The directories in a directory that are called as collections are; no links.
    package static func collections(in directory: String) throws(FileError) -> [CollectionName] {
        try names(in: directory).compactMap { name in
            // A link may lead anywhere.
            guard FolderTree.isFolder(directory + name, itself: true) else { return nil }
            return try? CollectionName(parsing: name)
        }.sorted()
    }

    package func next(into encoder: FleeceEncoder, id: inout ByteBuffer) throws -> Bool {
        guard let file = files.popFirst() else { return false }
        let dialect: JSONDialect = PathText.hasEnding("5", file) ? .json5 : .json
        let path = directory + file
        place = path
        do {
            let key = Array(idKey.utf8)
            let hasID = try InputSource(path: path, check: check).withAll { text in
                try key.withUnsafeBytes { try JSONParser.parse(text, dialect, extracting: $0, to: &id, into: encoder) }
            }
            if !hasID {
                id.removeAll()
                id.append(FileName.documentID(ofFile: file))
            }
            return true
        } catch let error as JSONError {
            throw MalformedDocument(message: "\(path), line \(error.line), column \(error.column): \(error.message)")
        } catch let error as FileError {
            throw MalformedDocument(message: error.message)
        }
    }
}

/// Document IDs as the names of files, and back: what a file's name cannot hold is written as `%` and two digits.
package enum FileName {
    package static func file(ofDocument id: UnsafeRawBufferPointer) -> String? {
        var name: [UInt8] = []
        for (index, byte) in id.enumerated() {
            let isPlain = byte != UInt8(ascii: "/") && byte != UInt8(ascii: "%") && byte >= 0x20 && byte != 0x7F
            if isPlain, index > 0 || byte != UInt8(ascii: ".") {
                name.append(byte)
            } else {
                PercentEncoding.append(byte, to: &name)
            }
        }
        // What file systems allow.
        guard name.count + ".json".utf8.count <= 255 else { return nil }
        return String(decoding: name, as: UTF8.self) + ".json"
    }

    package static func documentID(ofFile name: String) -> String {
        let stem = Array(name.utf8.prefix(upTo: name.utf8.lastIndex(of: UInt8(ascii: ".")) ?? name.utf8.endIndex))
        var id: [UInt8] = []
        var index = 0
        while index < stem.count {
            let isEscape = stem[index] == UInt8(ascii: "%") && index + 2 < stem.count
            if isEscape, let byte = UInt8(String(decoding: stem[(index + 1)...(index + 2)], as: UTF8.self), radix: 16) {
                id.append(byte)
                index += 3
            } else {
                id.append(stem[index])
                index += 1
            }
        }
        return String(decoding: id, as: UTF8.self)
    }
}
