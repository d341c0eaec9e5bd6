import CBLFleece
import CBLJSONSchema
import Glibc

// How many documents a second one core checks against a schema: the JSON Lines of a file, as a database would have them.
//
//     cblite-bench-schema users.jsonl

let schemaText = """
    {"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object",
     "properties": {
       "gender": {"enum": ["female", "male"]},
       "id": {"type": "integer", "minimum": 0},
       "contact": {"type": "object", "required": ["address", "email"], "properties": {
         "address": {"$ref": "#/$defs/address"},
         "email": {"type": "array", "items": {"type": "string", "minLength": 3}},
         "region": {"type": "string", "pattern": "^[0-9]{3}$"},
         "phone": {"type": "array", "items": {"type": "string"}, "maxItems": 10}}},
       "birthday": {"type": "string", "pattern": "^\\\\d{4}-\\\\d{2}-\\\\d{2}$"},
       "memberSince": {"type": "string", "format": "date"},
       "likes": {"type": "array", "items": {"type": "string"}, "uniqueItems": true},
       "name": {"type": "object", "required": ["first", "last"], "properties": {
         "first": {"type": "string", "minLength": 1}, "last": {"type": "string", "minLength": 1}}},
       "score": {"type": "number"},
       "balance": {"type": "number", "minimum": -1000000}},
     "required": ["gender", "contact", "name"],
     "$defs": {"address": {"type": "object", "properties": {
       "zip": {"type": "string", "maxLength": 5}, "state": {"type": "string", "pattern": "^[A-Z]{2}$"},
       "city": {"type": "string"}, "street": {"type": "string"}}}}}
    """

func run(_ path: String) throws {
    guard let file = fopen(path, "r") else { return print("cannot open \(path)") }
    defer { fclose(file) }
    let keys = SharedKeysBuilder()
    let encoder = FleeceEncoder(sharedKeys: keys)
    var documents: [FleeceData] = []
    var line: UnsafeMutablePointer<CChar>?
    var capacity = 0
    defer { free(line) }
    while case let count = getline(&line, &capacity, file), count > 0 {
        try JSONParser.parse(UnsafeRawBufferPointer(start: line, count: count), into: encoder)
        documents.append(try encoder.finish())
    }
    let schema = try JSONSchema(parsing: schemaText, .init(formats: .asserted))
    let checker = schema.checker()
    for round in 1...5 {
        var valid = 0
        let start = clock()
        for document in documents { valid += try document.withRoot { try checker.isValid($0, keys.state) } ? 1 : 0 }
        let seconds = Double(clock() - start) / Double(CLOCKS_PER_SEC)
        print("round \(round): \(valid) of \(documents.count) valid, \(Int(Double(documents.count) / seconds)) documents/s")
    }
    if let first = documents.first(where: { data in data.withRoot { (try? checker.isValid($0, keys.state)) != true } }) {
        for failure in try first.withRoot({ try checker.failures(of: $0, keys.state) }) { print(failure, failure.schemaPath) }
    }
}

if CommandLine.arguments.count == 2 { try run(CommandLine.arguments[1]) } else { print("usage: cblite-bench-schema FILE.jsonl") }
