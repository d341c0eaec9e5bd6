/// URIs, templates of them (RFC 6570) and JSON pointers (RFC 6901).
enum URIFormats {
    static func isReference(_ text: Text, needsScheme: Bool, isInternational: Bool) -> Bool {
        guard hasOnlyAllowed(text, isInternational), text.count(where: { $0 == UInt8(ascii: "#") }) <= 1 else { return false }
        let parts = URIReference(String(decoding: text, as: UTF8.self))
        guard parts.scheme != nil || !needsScheme else { return false }
        if parts.scheme == nil {
            // A colon in the first step would make it a scheme.
            let first = parts.path.utf8.prefix { $0 != UInt8(ascii: "/") }
            if parts.authority == nil, first.contains(UInt8(ascii: ":")) { return false }
        }
        for part in [parts.path, parts.query ?? "", parts.fragment ?? ""]
        where part.utf8.contains(where: { $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "]") }) {
            return false
        }
        return parts.authority.map(isAuthority) ?? true
    }

    private static func hasOnlyAllowed(_ text: Text, _ isInternational: Bool) -> Bool {
        var rest = text
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%") {
                guard rest.popFirst()?.isHexDigit == true, rest.popFirst()?.isHexDigit == true else { return false }
            } else if byte >= 0x80 {
                guard isInternational else { return false }
            } else {
                guard byte.isLetter || byte.isDigit || "-._~:/?#[]@!$&'()*+,;=".utf8.contains(byte) else { return false }
            }
        }
        return true
    }

    private static func isAuthority(_ text: String) -> Bool {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count <= 2, let host = parts.last else { return false }
        if parts.count == 2, parts[0].utf8.contains(where: { $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "]") }) { return false }
        let port: Substring
        if host.hasPrefix("[") {
            guard let end = host.firstIndex(of: "]") else { return false }
            let address = host[host.index(after: host.startIndex)..<end]
            let isAddress = Array(address.utf8).withUnsafeBytes { NetworkFormats.isIPv6($0[...]) }
            guard isAddress || address.hasPrefix("v") || address.hasPrefix("V") else { return false }
            port = host[host.index(after: end)...]
        } else {
            guard !host.contains("["), !host.contains("]") else { return false }
            port = host.firstIndex(of: ":").map { host[$0...] } ?? ""
        }
        return port.isEmpty || port.hasPrefix(":") && port.dropFirst().utf8.allSatisfy(\.isDigit)
    }

    static func isTemplate(_ text: Text) -> Bool {
        var rest = text
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "{"):
                guard let end = rest.firstIndex(of: UInt8(ascii: "}")), isExpression(rest[..<end]) else { return false }
                rest = rest[rest.index(after: end)...]
            case UInt8(ascii: "%"):
                guard rest.popFirst()?.isHexDigit == true, rest.popFirst()?.isHexDigit == true else { return false }
            case 0...0x20, 0x7F, UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\\"), UInt8(ascii: "^"),
                UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "}"):
                return false
            default: continue
            }
        }
        return true
    }

    private static func isExpression(_ text: Text) -> Bool {
        var rest = text
        if let first = rest.first, "+#./;?&=,!@|".utf8.contains(first) { rest.removeFirst() }
        return rest.split(at: ",").allSatisfy { variable in
            var name = variable
            if name.last == UInt8(ascii: "*") {
                name = name.dropLast()
            } else if let colon = name.firstIndex(of: UInt8(ascii: ":")) {
                let length = name[name.index(after: colon)...]
                guard (1...4).contains(length.count), length.allSatisfy(\.isDigit), length.first != UInt8(ascii: "0") else { return false }
                name = name[..<colon]
            }
            return name.split(at: ".").allSatisfy { part in
                !part.isEmpty && part.allSatisfy { $0.isLetter || $0.isDigit || "_%".utf8.contains($0) }
            }
        }
    }

    static func isJSONPointer(_ text: Text) -> Bool {
        guard let first = text.first else { return true }
        guard first == UInt8(ascii: "/") else { return false }
        var rest = text
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "~") else { continue }
            guard let next = rest.popFirst(), next == UInt8(ascii: "0") || next == UInt8(ascii: "1") else { return false }
        }
        return true
    }

    static func isRelativeJSONPointer(_ text: Text) -> Bool {
        let digits = text.prefix(while: \.isDigit)
        guard !digits.isEmpty, digits.count == 1 || digits.first != UInt8(ascii: "0") else { return false }
        let rest = text[digits.endIndex...]
        return rest.elementsEqual("#".utf8) || isJSONPointer(rest)
    }
}
