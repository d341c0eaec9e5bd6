import CBLFleece
import CBLStore
import CBLTestSupport

typealias TestRandom = SeededRandom

func revision(_ text: String) -> RevisionID {
    do { return try RevisionID(parsing: text) } catch { fatalError("\(error)") }
}

func history(_ text: String) -> RevisionHistory {
    do { return try RevisionHistory(parsing: text) } catch { fatalError("\(error)") }
}

func fleece(_ json: String) throws -> FleeceData {
    let encoder = FleeceEncoder()
    try JSONParser.parse(json, into: encoder)
    return try encoder.finish()
}
