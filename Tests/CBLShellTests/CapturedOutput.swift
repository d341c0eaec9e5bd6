import CBLTestSupport
import FoundationEssentials
import Glibc

@testable import CBLShell

/// What work writes, seen as a terminal or a file would see it.
func captured(color: Bool = false, terminal: Bool = false, _ work: (Session) throws -> Void) throws -> String {
    let directory = try TemporaryDirectory()
    let path = directory.path + "/output"
    let descriptor = open(path, O_RDWR | O_CREAT, 0o600)
    defer { close(descriptor) }
    let terminalFacts = Terminal(
        color: color ? .always : .never, outputIsTerminal: terminal, errorIsTerminal: false, inputIsTerminal: false,
        environment: { _ in nil })
    let session = Session(output: Output(descriptor: descriptor, isTerminal: terminal), terminal: terminalFacts)
    try work(session)
    try session.output.flush()
    return try String(contentsOfFile: path, encoding: .utf8)
}
