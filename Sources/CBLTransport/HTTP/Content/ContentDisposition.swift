import CBLBase

/// What a part, or an answer, is called: `attachment; filename="photo.jpg"`, `form-data; name="_attachments"; filename="a"`.
package struct ContentDisposition: Hashable, Sendable {
    /// In lower case.
    package let kind: String
    private let parameters: HeaderParameters

    /// Nil if it cannot be read.
    package init?(_ text: some StringProtocol) {
        let halves = split(text, at: UInt8(ascii: ";"), most: 2)
        let kind = lowerCased(trimmed(halves[0]))
        guard !kind.isEmpty, kind.utf8.allSatisfy(HTTPSyntax.isToken), let parameters = HeaderParameters(halves.count > 1 ? halves[1] : "")
        else { return nil }
        self.kind = kind
        self.parameters = parameters
    }

    /// The field of a form.
    package var name: String? { parameters["name"] }

    /// The name of a file as it was given: what it may be used for is another question.
    package var fileName: String? { parameters["filename*"].flatMap(ContentDisposition.extended) ?? parameters["filename"] }

    /// `UTF-8''na%C3%AFve.txt` (RFC 8187).
    private static func extended(_ text: String) -> String? {
        let parts = split(text, at: UInt8(ascii: "'"), most: 3)
        guard parts.count == 3, isSameASCII(parts[0], "UTF-8") else { return nil }
        return PercentEncoding.decode(parts[2])
    }

    /// The value of the header for an attachment of that name.
    package static func attachment(_ fileName: String) -> String { "attachment; filename=" + HeaderParameters.quoted(fileName) }
}
