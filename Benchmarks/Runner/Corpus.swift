import CBLStore
import FoundationEssentials

/// What is measured with, besides the data set: always the same.
enum Corpus {
    static let revisions = 500
    static let revisedID = "revised"
    static let putCount = 10_000

    /// A database of ours with one document, of a megabyte of JSON, that was saved so often and has all its revisions.
    static func makeRevised(at path: String) throws {
        let database = try Database(path: path, options: .create)
        defer { database.close() }
        var body = "{\"entries\":["
        var number = 0
        while body.utf8.count < 1 << 20 {
            body += "\(number == 0 ? "" : ",")" + person(number)
            number += 1
        }
        body += "]}"
        try database.write { transaction in
            try transaction.setPruneDepth(2 * revisions)
            for revision in 1...revisions {
                let json = revision == revisions ? body : "{\"revision\":\(revision)}"
                try transaction.save(revisedID, body: try transaction.encode(json: json))
            }
        }
    }

    /// What a person would type to save so many documents, a line each.
    static func makePuts(at path: String) throws {
        let lines = (0..<putCount).map { "put person_\($0) \(person($0))\n" }.joined()
        try Data(lines.utf8).write(to: URL(filePath: path))
    }

    /// A database such as a small app has, anew.
    static func makeSmall(at path: String) throws {
        try? FileManager.default.removeItem(atPath: path)
        let database = try Database(path: path, options: .create)
        defer { database.close() }
        try database.write { transaction in
            for number in 0..<1000 { try transaction.save("person_\(number)", body: try transaction.encode(json: person(number))) }
        }
    }

    private static func person(_ number: Int) -> String {
        """
        {"type":"person","number":\(number),"name":{"first":"Ada \(number % 97)","last":"Byron \(number % 89)"},"balance":\(number * 7919 % 10_007),\
        "likes":["chess","reading"],"street":"\(number % 631) Mill Lane"}
        """
    }
}
