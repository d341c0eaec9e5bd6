internal import CBLFleece
import Foundation

/// A piece of the JSON that the query builder writes.
indirect enum QueryJSON: Sendable {
    case null
    case boolean(Bool)
    case integer(Int64)
    case unsigned(UInt64)
    case double(Double)
    case string(String)
    case array([QueryJSON])
    /// In the order in which it is written.
    case object([(key: String, value: QueryJSON)])

    /// `["NAME", operands…]`
    static func operation(_ name: String, _ operands: QueryJSON...) -> QueryJSON { .array([.string(name)] + operands) }

    var text: String {
        var buffer = ByteBuffer()
        write(to: &buffer)
        return String(decoding: buffer.bytes, as: UTF8.self)
    }

    private func write(to buffer: inout ByteBuffer) {
        switch self {
        case .null: buffer.append("null")
        case .boolean(let flag): buffer.append(flag ? "true" : "false")
        case .integer(let number): buffer.append(decimal: number)
        case .unsigned(let number): buffer.append(decimal: number)
        case .double(let number): JSONWriter.write(double: number, to: &buffer)
        case .string(let text): JSONWriter.write(string: text, to: &buffer)
        case .array(let items):
            buffer.append(UInt8(ascii: "["))
            for (place, item) in items.enumerated() {
                if place > 0 { buffer.append(UInt8(ascii: ",")) }
                item.write(to: &buffer)
            }
            buffer.append(UInt8(ascii: "]"))
        case .object(let members):
            buffer.append(UInt8(ascii: "{"))
            for (place, member) in members.enumerated() {
                if place > 0 { buffer.append(UInt8(ascii: ",")) }
                JSONWriter.write(string: member.key, to: &buffer)
                buffer.append(UInt8(ascii: ":"))
                member.value.write(to: &buffer)
            }
            buffer.append(UInt8(ascii: "}"))
        }
    }
}

extension QueryJSON {
    /// A value of a program, which may have expressions in it. What cannot stand in a query is a mistake of the program.
    init(value: Any?) {
        switch value {
        case let expression as any ExpressionProtocol: self = expression.json
        case let values as [Any]: self = .array([.string("[]")] + values.map { QueryJSON(value: $0) })
        case let array as ArrayObject: self = QueryJSON(value: array.toArray())
        case let values as [String: Any]:
            self = .object(values.sorted { $0.key < $1.key }.map { ($0.key, QueryJSON(value: $0.value)) })
        case let dictionary as DictionaryObject: self = QueryJSON(value: dictionary.toDictionary())
        default: self.init(scalar: Item(value), value)
        }
    }

    private init(scalar item: Item, _ value: Any?) {
        switch item {
        case .null: self = .null
        case .boolean(let flag): self = .boolean(flag)
        case .integer(let number): self = .integer(number)
        case .unsigned(let number): self = .unsigned(number)
        case .float(let number): self = .double(Double(number))
        case .double(let number): self = .double(number)
        case .string(let text): self = .string(text)
        case .array(let array): self = QueryJSON(value: array.toArray())
        case .dictionary(let dictionary): self = QueryJSON(value: dictionary.toDictionary())
        case .blob:
            programmerError(.internalInconsistency, "\(Swift.type(of: value)) cannot stand in a query: give it as a parameter.")
        }
    }
}
