internal import CBLFleece
internal import CBLQuery
import Foundation

/// A type that is not asked how it is decoded: those that are stored otherwise here than they say themselves, and lists of what is decoded most.
/// For these, the language's own way makes a container each, and asks for every item whether there is another one.
enum KnownType {
    case string, strings, date, blob, data, url, decimal, ints, doubles, floats

    @inline(__always)
    init?(_ type: Any.Type) {
        if type == String.self {
            self = .string
        } else if type == [String].self {
            self = .strings
        } else if type == Date.self {
            self = .date
        } else if type == Blob.self {
            self = .blob
        } else if type == Data.self {
            self = .data
        } else if type == URL.self {
            self = .url
        } else if type == Decimal.self {
            self = .decimal
        } else if type == [Int].self {
            self = .ints
        } else if type == [Double].self {
            self = .doubles
        } else if type == [Float].self {
            self = .floats
        } else {
            return nil
        }
    }

    /// A value as this type, which is `Decoded`. The value's decoder is made for what says more than the value does.
    func decode<Decoded>(_ value: QueryValue, _ decoder: () -> ValueDecoder) throws -> Decoded {
        func same<Known>(_ known: Known) -> Decoded { unsafeBitCast(known, to: Decoded.self) }
        return switch self {
        case .string: same(try value.decoded(String.self) { decoder().failure($0) })
        case .strings: same(try list(value, decoder) { $0.string })
        case .date: same(try date(value, decoder))
        case .blob: same(try blob(value, decoder))
        case .data: same(try data(value, decoder))
        case .url: same(try url(value, decoder))
        case .decimal: same(try decimal(value, decoder))
        case .ints: same(try list(value, decoder) { $0.exactly(Int.self) })
        case .doubles: same(try list(value, decoder) { $0.real })
        case .floats: same(try list(value, decoder) { $0.shortReal })
        }
    }

    @inline(__always)
    private func list<Item>(_ value: QueryValue, _ decoder: () -> ValueDecoder, _ decode: (QueryValue) -> Item?) throws -> [Item] {
        let array = try value.array ?? decoder().array()
        var items: [Item] = []
        items.reserveCapacity(array.count)
        for place in 0..<array.count {
            let value = QueryValue(array[place])
            guard let item = decode(value) else { throw decoder().failure(value, Item.self, PlainKey(intValue: place)) }
            items.append(item)
        }
        return items
    }

    private func date(_ value: QueryValue, _ decoder: () -> ValueDecoder) throws -> Date {
        guard let date = value.string.flatMap(ISO8601.date) else { throw decoder().failure(Date.self) }
        return date
    }

    private func blob(_ value: QueryValue, _ decoder: () -> ValueDecoder) throws -> Blob {
        let source = decoder().source
        switch value {
        case .collection(let value) where value.isBlob(source.keys): return Blob(stored: value, in: source)
        case .data(let bytes): return Blob(contentType: Blob.binaryType, data: Data(bytes))
        default: throw decoder().failure(Blob.self)
        }
    }

    private func data(_ value: QueryValue, _ decoder: () -> ValueDecoder) throws -> Data {
        guard case .data(let bytes) = value else { throw decoder().failure(Data.self) }
        return Data(bytes)
    }

    private func url(_ value: QueryValue, _ decoder: () -> ValueDecoder) throws -> URL {
        guard let url = value.string.flatMap({ URL(string: $0) }) else { throw decoder().failure(URL.self) }
        return url
    }

    private func decimal(_ value: QueryValue, _ decoder: () -> ValueDecoder) throws -> Decimal {
        switch value {
        case .integer(let number): return Decimal(number)
        case .unsigned(let number): return Decimal(number)
        // By its digits: the nearest binary fraction has many more.
        case .double(let number): return Decimal(string: "\(number)") ?? Decimal(number)
        default: throw decoder().failure(Decimal.self)
        }
    }
}
