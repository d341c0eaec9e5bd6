import CBLBase

/// What is wrong with a file that is read: `people.json: the array is not closed`.
package struct FileError: Error, Equatable, CustomStringConvertible {
    package let message: String

    package init(_ message: String) { self.message = message }

    /// What the system says.
    init(_ path: String, errno code: Int32) { self.init("\(path): \(SystemCall.message(code))") }

    package var description: String { message }
}
