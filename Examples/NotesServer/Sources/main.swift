import CouchbaseLiteSwift

// Notes over HTTP, kept in a database of the service itself:
//
//     GET /notes              all of them        POST /notes      a new one: its JSON is the body
//     GET /notes/ID           one                PUT /notes/ID    saves one
//     GET /search/WORDS       those with these   DELETE /notes/ID

/// What the service does, without a word of HTTP's.
struct Notes: Sendable {
    let database: Database
    let notes: Collection

    init(directory: String) throws {
        var configuration = DatabaseConfiguration()
        configuration.directory = directory
        database = try Database(name: "notes", config: configuration)
        notes = try database.createCollection(name: "notes")
        try notes.createIndex(withName: "words", config: FullTextIndexConfiguration(["text"]))
    }

    private func rows(_ statement: String, _ parameters: Parameters = Parameters()) throws -> String {
        let query = try database.createQuery(statement)
        query.parameters = parameters
        return "[" + (try query.execute().map { $0.toJSON() }).joined(separator: ",") + "]"
    }

    func answer(_ request: Request) -> Response {
        let parts = request.path.split(separator: "/", maxSplits: 1).map(String.init)
        do {
            switch (request.method, parts.first, parts.count) {
            case ("GET", "notes", 1): return Response(json: try rows("SELECT META().id, text FROM notes ORDER BY META().id"))
            case ("GET", "notes", 2):
                guard let note = try notes.document(id: parts[1]) else { return Notes.missing }
                return Response(json: note.toJSON())
            case ("POST", "notes", 1), ("PUT", "notes", 2):
                let text = String(decoding: request.body, as: UTF8.self)
                let note = try MutableDocument(id: parts.count == 2 ? parts[1] : nil, json: text)
                try notes.save(document: note)
                let id = MutableDictionaryObject().setString(note.id, forKey: "id").toDictionary()
                return Response(
                    status: "201 Created", json: String(decoding: try JSONSerialization.data(withJSONObject: id), as: UTF8.self))
            case ("DELETE", "notes", 2):
                guard let note = try notes.document(id: parts[1]) else { return Notes.missing }
                try notes.delete(document: note)
                return Response()
            case ("GET", "search", 2):
                let words = Parameters().setString(parts[1], forName: "words")
                return Response(
                    json: try rows("SELECT META().id, text FROM notes WHERE MATCH(words, $words) ORDER BY RANK(words) DESC", words))
            default: return Response(status: "405 Method Not Allowed", json: #"{"error":"no such request"}"#)
            }
        } catch let error as NSError where [CBLError.invalidJSON, CBLError.badDocID, CBLError.invalidQuery].contains(error.code) {
            return Response(status: "400 Bad Request", json: #"{"error":"the request is not understood"}"#)
        } catch {
            return Response(status: "500 Internal Server Error", json: #"{"error":"the database did not do it"}"#)
        }
    }

    private static let missing = Response(status: "404 Not Found", json: #"{"error":"no such note"}"#)
}

do {
    let environment = ProcessInfo.processInfo.environment
    let notes = try Notes(directory: environment["NOTES_HOME"] ?? DatabaseConfiguration().directory)
    let server = try HTTPServer(port: environment["PORT"].flatMap(UInt16.init) ?? 8080)
    FileHandle.standardOutput.write(Data("http://localhost:\(server.port)/notes\n".utf8))
    server.run { notes.answer($0) }
} catch {
    FileHandle.standardError.write(Data((error.localizedDescription + "\n").utf8))
    exit(1)
}
