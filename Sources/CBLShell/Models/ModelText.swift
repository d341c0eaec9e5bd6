import CBLBase
import CBLFleece
import CBLFunctions

/// What is said to a model's program and what it says: one JSON value a line.
///
/// The question is the input of `PREDICTION()`, an object. A blob in it has another member, `data`, with its content in Base64. The answer is an
/// object; or `null` if there is nothing to say; or an object of the single member `error`, a text, which the query fails with.
enum ModelText {
    enum Answer {
        case output(FleeceData)
        case nothing
        case error(String)
    }

    /// The line to send, with its end.
    static func question(_ input: PredictionInput) throws -> ByteBuffer {
        let encoder = FleeceEncoder()
        write(input.value, of: input, to: encoder)
        let question = try encoder.finish()
        var line = ByteBuffer()
        question.withRoot { root in _ = JSONWriter.write(root, keys: nil, to: &line) }
        line.append("\n")
        return line
    }

    private static func write(_ value: Value, of input: PredictionInput, to encoder: FleeceEncoder) {
        if let array = value.array {
            encoder.beginArray()
            for item in array { write(item, of: input, to: encoder) }
            encoder.endArray()
        } else if let dictionary = value.dictionary {
            let content = dictionary.value(forKey: "@type", input.keys)?.string == "blob" ? input.content(of: dictionary) : nil
            encoder.beginDictionary()
            for (key, member) in dictionary {
                guard let name = key.keyString(input.keys), content == nil || name != "data" else { continue }
                encoder.writeKey(name)
                write(member, of: input, to: encoder)
            }
            if let content {
                encoder.writeKey("data")
                encoder.write(content.withUnsafeBytes { Base64.text(of: $0) })
            }
            encoder.endDictionary()
        } else {
            encoder.write(value, keys: input.keys)
        }
    }

    /// Reads a line without its end.
    static func parse(_ line: [UInt8]) throws(ModelTextError) -> FleeceData {
        let encoder = FleeceEncoder()
        do {
            try line.withUnsafeBytes { try JSONParser.parse($0, into: encoder) }
            return try encoder.finish()
        } catch {
            let problem = (error as? JSONError)?.message ?? "\(error)"
            throw .noJSON(problem, line: line.isEmpty ? "the line is empty" : String(decoding: line.prefix(240), as: UTF8.self))
        }
    }

    /// Reads what a model says.
    static func answer(_ line: [UInt8]) throws(ModelTextError) -> Answer {
        let answer = try parse(line)
        return try answer.withRoot { root throws(ModelTextError) in
            if root.isNull { return .nothing }
            guard let object = root.dictionary else { throw .noObject(kind(of: root)) }
            if object.count == 1, let message = object.value(forKey: "error", nil)?.string { return .error(message) }
            return .output(answer)
        }
    }

    private static func kind(of value: Value) -> String {
        switch value.kind {
        case .array: "an array"
        case .string: "a text"
        case .boolean: "true or false"
        default: "a number"
        }
    }
}

/// What is wrong with an answer.
enum ModelTextError: Error {
    case noJSON(String, line: String)
    case noObject(String)
}
