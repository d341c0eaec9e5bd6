import Glibc

/// What is wrong with a call that no program should make. The names are those of the exceptions that the vendor's library raises; here they are the
/// first word of what the program says before it ends.
package enum ProgrammerError: String {
    case invalidArgument = "NSInvalidArgumentException"
    case internalInconsistency = "NSInternalInconsistencyException"
    case range = "NSRangeException"
}

/// Ends the program because of a mistake in its code: all such ends go through here.
@inline(never)
func programmerError(_ kind: ProgrammerError, _ message: @autoclosure () -> String) -> Never {
    let line = "\(kind.rawValue): \(message())\n"
    FileHandle.standardError.write(Data(line.utf8))
    abort()
}

package func programmerErrorUnless(_ condition: Bool, _ kind: ProgrammerError, _ message: @autoclosure () -> String) {
    if !condition { programmerError(kind, message()) }
}
