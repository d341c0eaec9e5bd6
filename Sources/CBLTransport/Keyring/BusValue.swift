import CBLSystemDBus

/// What is said over a message bus: the kinds of values that keyrings deal in.
indirect enum BusValue: Hashable, Sendable {
    case text(String)
    case path(String)
    case boolean(Bool)
    case bytes([UInt8])
    /// The paths of objects.
    case paths([String])
    /// Texts under texts.
    case texts([String: String])
    /// Properties with values of any kind.
    case properties([String: BusValue])
    /// A value that brings its kind along.
    case variant(BusValue)
    case structure([BusValue])
    /// Of a kind that nobody here asks for.
    case other

    /// Its kind, as the protocol writes it.
    var signature: String {
        switch self {
        case .text: "s"
        case .path: "o"
        case .boolean: "b"
        case .bytes: "ay"
        case .paths: "ao"
        case .texts: "a{ss}"
        case .properties: "a{sv}"
        case .variant, .other: "v"
        case .structure(let members): "(" + members.map(\.signature).joined() + ")"
        }
    }

    var path: String? { if case .path(let path) = self { path } else { nil } }
    var paths: [String]? { if case .paths(let paths) = self { paths } else { nil } }
    var texts: [String: String]? { if case .texts(let texts) = self { texts } else { nil } }
    var boolean: Bool? { if case .boolean(let boolean) = self { boolean } else { nil } }
    var bytes: [UInt8]? { if case .bytes(let bytes) = self { bytes } else { nil } }
    var inner: BusValue? { if case .variant(let inner) = self { inner } else { nil } }
    var members: [BusValue]? { if case .structure(let members) = self { members } else { nil } }
}

/// Puts values into a message. The library says no only where there is no memory; what is right it takes as it is.
struct BusWriter {
    private let dbus: cblite_dbus
    private var place = cblite_dbus_iterator()
    private(set) var isComplete = true

    init(_ dbus: cblite_dbus, to message: OpaquePointer) {
        self.dbus = dbus
        dbus.append_init(message, &place)
    }

    mutating func write(_ value: BusValue) {
        switch value {
        case .text(let text): write(text, cblite_dbus_string)
        case .path(let path): write(path, cblite_dbus_path)
        case .boolean(let boolean):
            var number: UInt32 = boolean ? 1 : 0
            check(dbus.append_basic(&place, Int32(cblite_dbus_boolean.rawValue), &number))
        case .bytes(let bytes):
            within(cblite_dbus_array, "y") { writer in
                guard !bytes.isEmpty else { return }
                bytes.withUnsafeBufferPointer { buffer in
                    var start = buffer.baseAddress
                    writer.check(
                        writer.dbus.append_bytes(&writer.place, Int32(cblite_dbus_byte.rawValue), &start, Int32(clamping: buffer.count)))
                }
            }
        case .paths(let paths): within(cblite_dbus_array, "o") { for path in paths { $0.write(path, cblite_dbus_path) } }
        case .texts(let texts): write(texts.mapValues { .text($0) }, of: "s")
        case .properties(let properties): write(properties, of: "v")
        case .variant(let inner): within(cblite_dbus_variant, inner.signature) { $0.write(inner) }
        case .structure(let members): within(cblite_dbus_structure, nil) { for member in members { $0.write(member) } }
        case .other: isComplete = false
        }
    }

    private mutating func write(_ entries: [String: BusValue], of signature: String) {
        within(cblite_dbus_array, "{s\(signature)}") { writer in
            for (name, value) in entries {
                writer.within(cblite_dbus_entry, nil) { entry in
                    entry.write(name, cblite_dbus_string)
                    entry.write(value)
                }
            }
        }
    }

    private mutating func write(_ text: String, _ type: cblite_dbus_type) {
        text.withCString { start in
            var start: UnsafePointer<CChar>? = start
            check(dbus.append_basic(&place, Int32(type.rawValue), &start))
        }
    }

    private mutating func within(_ type: cblite_dbus_type, _ signature: String?, _ body: (inout BusWriter) -> Void) {
        var inner = self
        let isOpen =
            if let signature {
                signature.withCString { dbus.append_open(&place, Int32(type.rawValue), $0, &inner.place) }
            } else {
                dbus.append_open(&place, Int32(type.rawValue), nil, &inner.place)
            }
        guard isOpen != 0 else { return isComplete = false }
        body(&inner)
        isComplete = isComplete && inner.isComplete
        check(dbus.append_close(&place, &inner.place))
    }

    private mutating func check(_ isDone: UInt32) { if isDone == 0 { isComplete = false } }
}

/// Takes values out of a message, which the library has checked when it came.
struct BusReader {
    private let dbus: cblite_dbus
    private var place = cblite_dbus_iterator()

    init(_ dbus: cblite_dbus, _ message: OpaquePointer) {
        self.dbus = dbus
        _ = dbus.read_init(message, &place)
    }

    private init(_ dbus: cblite_dbus, inside outer: inout cblite_dbus_iterator) {
        self.dbus = dbus
        dbus.read_inner(&outer, &place)
    }

    /// All that follows.
    mutating func values() -> [BusValue] {
        var values: [BusValue] = []
        while type != cblite_dbus_none.rawValue {
            values.append(value())
            _ = dbus.read_next(&place)
        }
        return values
    }

    private var type: UInt32 {
        mutating get { UInt32(bitPattern: dbus.read_type(&place)) }
    }

    private mutating func value() -> BusValue {
        switch type {
        case cblite_dbus_string.rawValue: return text().map { .text($0) } ?? .other
        case cblite_dbus_path.rawValue: return text().map { .path($0) } ?? .other
        case cblite_dbus_boolean.rawValue:
            var number: UInt32 = 0
            dbus.read_basic(&place, &number)
            return .boolean(number != 0)
        case cblite_dbus_variant.rawValue:
            var inner = BusReader(dbus, inside: &place)
            return .variant(inner.values().first ?? .other)
        case cblite_dbus_structure.rawValue:
            var inner = BusReader(dbus, inside: &place)
            return .structure(inner.values())
        case cblite_dbus_array.rawValue: return array()
        default: return .other
        }
    }

    private mutating func text() -> String? {
        var start: UnsafePointer<CChar>?
        dbus.read_basic(&place, &start)
        return start.map { String(cString: $0) }
    }

    private mutating func array() -> BusValue {
        let element = UInt32(bitPattern: dbus.read_element_type(&place))
        var inner = BusReader(dbus, inside: &place)
        switch element {
        case cblite_dbus_byte.rawValue:
            var start: UnsafePointer<UInt8>?
            var count: Int32 = 0
            dbus.read_bytes(&inner.place, &start, &count)
            return .bytes(Array(UnsafeBufferPointer(start: start, count: start == nil ? 0 : Int(count))))
        case cblite_dbus_path.rawValue: return .paths(inner.values().compactMap(\.path))
        case cblite_dbus_entry.rawValue: return inner.entries()
        default: return .other
        }
    }

    /// Texts under texts, or values of any kind.
    private mutating func entries() -> BusValue {
        var texts: [String: String] = [:]
        var properties: [String: BusValue] = [:]
        while type == cblite_dbus_entry.rawValue {
            var inner = BusReader(dbus, inside: &place)
            let pair = inner.values()
            if pair.count == 2, case .text(let name) = pair[0] {
                if case .text(let text) = pair[1] { texts[name] = text } else { properties[name] = pair[1] }
            }
            _ = dbus.read_next(&place)
        }
        return properties.isEmpty ? .texts(texts) : .properties(properties)
    }
}
