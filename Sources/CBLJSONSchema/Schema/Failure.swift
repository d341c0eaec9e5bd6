extension JSONSchema {
    /// One thing that is wrong with a value.
    package struct Failure: Equatable, Sendable, CustomStringConvertible {
        /// Where in the value, as a JSON pointer: empty for the value itself.
        package let pointer: String
        /// The same as people write it: `contact.email[0]`.
        package let path: String
        /// Which keyword of which schema says so: `#/properties/contact/type`, with the document's URI in front if it is another one.
        package let schemaPath: String
        package let keyword: String
        /// What is wrong, as a sentence without the place: `expected a string, found 12345`.
        package let message: String

        package var description: String { pointer.isEmpty ? message : "\(pointer): \(message)" }
    }
}

/// What `format` does.
package enum FormatRule: Sendable {
    /// Draft 4 asserts formats, the later ones do not, unless the schema's dialect says that it does.
    case asDraft
    case asserted
    case ignored
}
