import CBLBase
import CBLFleece

/// What the column `json` of a revision says, as a body.
final class Version1Body {
    private let encoder: FleeceEncoder
    @exclusivity(unchecked) private var text = ByteBuffer()

    /// Without keys, bodies are complete in themselves.
    init(keys: SharedKeysBuilder? = nil) { encoder = FleeceEncoder(sharedKeys: keys) }

    /// Gives the body to `take`; no bytes for one without properties, and for JSON that is none, as 1.x has it. `attachments` is the JSON of
    /// `_attachments` where 1.0 kept it apart.
    func encode<Result>(
        _ json: UnsafeRawBufferPointer?, attachments: UnsafeRawBufferPointer? = nil, _ take: (UnsafeRawBufferPointer) throws -> Result
    ) throws -> Result {
        let none = UnsafeRawBufferPointer(start: nil, count: 0)
        encoder.reset()
        var source = json ?? none
        if let attachments {
            append(attachments, to: source)
            source = text.bytes
        }
        guard !source.isEmpty, Version1Body.isObject(source), (try? JSONParser.parse(source, into: encoder)) != nil else {
            return try take(none)
        }
        return try encoder.withFinished { try take(Version1Body.isEmpty($0) ? none : $0) }
    }

    /// Whether a body that is there cannot be read.
    func isDamaged(_ json: UnsafeRawBufferPointer) -> Bool {
        encoder.reset()
        defer { encoder.reset() }
        return !json.isEmpty && (!Version1Body.isObject(json) || (try? JSONParser.parse(json, into: encoder)) == nil)
    }

    private static func isEmpty(_ body: UnsafeRawBufferPointer) -> Bool { Value(root: body)?.dictionary?.isEmpty ?? true }

    private static func isObject(_ json: UnsafeRawBufferPointer) -> Bool {
        json.first { $0 != 0x20 && $0 != 0x0A && $0 != 0x0D && $0 != 0x09 } == UInt8(ascii: "{")
    }

    /// Puts a last member into the object.
    private func append(_ attachments: UnsafeRawBufferPointer, to json: UnsafeRawBufferPointer) {
        text.removeAll()
        let end = json.lastIndex(of: UInt8(ascii: "}")) ?? 0
        let members = json.prefix(end)
        let isEmpty = !members.contains(UInt8(ascii: ":"))
        if isEmpty { text.append("{") } else { text.append(UnsafeRawBufferPointer(rebasing: members)) }
        text.append(isEmpty ? "\"_attachments\":" : ",\"_attachments\":")
        text.append(attachments)
        text.append("}")
    }
}
