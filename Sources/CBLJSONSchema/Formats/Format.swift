import CBLFunctions

/// The formats of strings that can be asserted. All look at bytes: what is beyond ASCII is allowed where the format is an international one.
enum Format: String, CaseIterable {
    case dateTime = "date-time"
    case date, time, duration, email, hostname, ipv4, ipv6, uri, iri, uuid, regex
    case idnEmail = "idn-email"
    case uriReference = "uri-reference"
    case iriReference = "iri-reference"
    case uriTemplate = "uri-template"
    case jsonPointer = "json-pointer"
    case relativeJSONPointer = "relative-json-pointer"

    /// A host's name before draft 7, which was the first to know of other alphabets.
    case oldHostname = "old hostname"

    init?(name: String, _ draft: Draft) {
        // Draft 3 called them so, and schemas of draft 4 still do.
        switch name {
        case "ip-address": self = .ipv4
        case "host-name": self = .oldHostname
        case "hostname": self = draft < .draft7 ? .oldHostname : .hostname
        case Format.oldHostname.rawValue: return nil
        default:
            guard let known = Format(rawValue: name) else { return nil }
            self = known
        }
    }

    func accepts(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let text = bytes[...]
        switch self {
        case .dateTime: return DateFormats.isDateTime(text)
        case .date: return DateFormats.isDate(text)
        case .time: return DateFormats.isTime(text)
        case .duration: return DateFormats.isDuration(text)
        case .email: return NetworkFormats.isEmail(text, isInternational: false)
        case .idnEmail: return NetworkFormats.isEmail(text, isInternational: true)
        case .hostname: return NetworkFormats.isHostname(text)
        case .oldHostname: return NetworkFormats.isHostname(text, knowsAlphabets: false)
        case .ipv4: return NetworkFormats.isIPv4(text)
        case .ipv6: return NetworkFormats.isIPv6(text)
        case .uri: return URIFormats.isReference(text, needsScheme: true, isInternational: false)
        case .uriReference: return URIFormats.isReference(text, needsScheme: false, isInternational: false)
        case .iri: return URIFormats.isReference(text, needsScheme: true, isInternational: true)
        case .iriReference: return URIFormats.isReference(text, needsScheme: false, isInternational: true)
        case .uriTemplate: return URIFormats.isTemplate(text)
        case .jsonPointer: return URIFormats.isJSONPointer(text)
        case .relativeJSONPointer: return URIFormats.isRelativeJSONPointer(text)
        case .uuid: return Format.isUUID(text)
        case .regex: return (try? RegularExpression(bytes, over: .characters)) != nil
        }
    }

    private static func isUUID(_ text: Text) -> Bool {
        guard text.count == 36 else { return false }
        for (index, byte) in text.enumerated() {
            let isHyphen = index == 8 || index == 13 || index == 18 || index == 23
            guard isHyphen ? byte == UInt8(ascii: "-") : byte.isHexDigit else { return false }
        }
        return true
    }

    /// The format with its article, for sentences.
    var article: String {
        switch self {
        case .dateTime: "a date with a time, such as 2020-12-31T23:59:59Z"
        case .date: "a date, such as 2020-12-31"
        case .time: "a time with a zone, such as 23:59:59Z"
        case .duration: "a duration, such as P1DT12H"
        case .email, .idnEmail: "an e-mail address"
        case .hostname, .oldHostname: "the name of a host"
        case .ipv4: "an IPv4 address"
        case .ipv6: "an IPv6 address"
        case .uri: "a URI"
        case .uriReference: "a URI or a relative reference"
        case .iri: "an IRI"
        case .iriReference: "an IRI or a relative reference"
        case .uriTemplate: "a URI template"
        case .jsonPointer: "a JSON pointer"
        case .relativeJSONPointer: "a relative JSON pointer"
        case .uuid: "a UUID"
        case .regex: "a regular expression"
        }
    }
}

typealias Text = Slice<UnsafeRawBufferPointer>

extension Text {
    /// Takes a number of exactly so many digits from the front.
    mutating func takeNumber(digits: Int) -> Int? {
        guard count >= digits else { return nil }
        var number = 0
        for _ in 0..<digits {
            guard let byte = popFirst(), byte.isDigit else { return nil }
            number = number * 10 + Int(byte - UInt8(ascii: "0"))
        }
        return number
    }

    mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard let first, first == UInt8(ascii: character) else { return false }
        removeFirst()
        return true
    }

    func split(at character: Unicode.Scalar) -> [Text] {
        split(separator: UInt8(ascii: character), omittingEmptySubsequences: false)
    }
}
