import CBLBase
import CBLWorkbench
import Glibc

/// One file of a log, of either form, read message by message.
final class LogInput {
    let path: String
    private let descriptor: Int32
    private var form: Form?
    /// What has come before it was clear which form it is.
    private var beginning: [UInt8] = []
    private(set) var damage: LogDamage?
    /// The next message.
    private(set) var head: LogRecord?

    private enum Form {
        case binary(LogDecoder)
        case text(LogTextReader)
    }

    private static let piece = 1 << 18
    static let suffix = ".cbllog"

    init(_ path: String) throws(CommandError) {
        self.path = path
        descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw .system(path, errno: errno) }
        var facts = stat()
        guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw .failed("\(path): no file")
        }
    }

    deinit { close(descriptor) }

    var folder: String { path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "" }

    /// The moment in the name, in microseconds since 1970: `cbl_info_1700000000123.cbllog`.
    private var start: UInt64 {
        let name = path.split(separator: "/").last ?? ""
        let digits = name.dropLast(LogInput.suffix.utf8.count).split(separator: "_").last.flatMap { UInt64($0) } ?? 0
        return digits < 1 << 50 ? digits * 1000 : 0
    }

    /// Goes to the next message; false if there is none, for now. `isFinal` says that nothing more will come.
    func advance(isFinal: Bool) throws -> Bool {
        head = nil
        while damage == nil {
            if let record = try record() {
                head = record
                return true
            }
            guard damage == nil, try readMore() else { break }
        }
        guard isFinal || damage != nil else { return false }
        finish()
        return head != nil
    }

    /// Has the last message of a text be whole, although other lines of it may come: nobody has written for a while.
    func settle() {
        guard head == nil, case .text(var reader)? = form else { return }
        head = reader.last()
        form = .text(reader)
    }

    /// What is left at the end of the file.
    private func finish() {
        switch form {
        case .text(var reader)?:
            reader.end()
            head = reader.next() ?? reader.last()
            form = .text(reader)
        case .binary(let decoder)?: if damage == nil, decoder.isInside { damage = .cutOff(offset: decoder.offset) }
        case nil: if damage == nil, !beginning.isEmpty { damage = .notALog }
        }
    }

    private func record() throws -> LogRecord? {
        switch form {
        case .binary(var decoder)?:
            defer { form = .binary(decoder) }
            form = nil
            do throws(LogDamage) { return try decoder.next() } catch {
                damage = error
                return nil
            }
        case .text(var reader)?:
            defer { form = .text(reader) }
            form = nil
            return reader.next()
        case nil: return nil
        }
    }

    private func readMore() throws -> Bool {
        var bytes = [UInt8](repeating: 0, count: LogInput.piece)
        let count = SystemCall.retrying { read(descriptor, &bytes, bytes.count) }
        guard count >= 0 else { throw CommandError.system(path, errno: errno) }
        guard count > 0 else { return false }
        bytes.removeLast(bytes.count - count)
        switch form {
        case .binary(var decoder)?:
            form = nil
            bytes.withUnsafeBytes { decoder.append($0) }
            form = .binary(decoder)
        case .text(var reader)?:
            form = nil
            bytes.withUnsafeBytes { reader.append($0) }
            form = .text(reader)
        case nil:
            beginning += bytes
            begin()
        }
        return true
    }

    /// Decides by the first bytes what it is.
    private func begin() {
        if beginning.starts(with: LogEncoder.magic) {
            var decoder = LogDecoder()
            beginning.withUnsafeBytes { decoder.append($0) }
            form = .binary(decoder)
        } else if LogTextReader.isText(beginning) {
            var reader = LogTextReader(start: start)
            beginning.withUnsafeBytes { reader.append($0) }
            form = .text(reader)
        } else if beginning.count >= 28 {
            damage = .notALog
        }
    }
}

/// The messages of several files in the order of their times; of equal ones in the order of the files.
final class MergedLog {
    private(set) var inputs: [LogInput]
    /// Where the last message came from: the folder whose files make up one log.
    private(set) var source = ""

    init(_ inputs: [LogInput]) { self.inputs = inputs }

    func add(_ input: LogInput) { inputs.append(input) }

    /// Nothing has come for a while.
    func settle() { for input in inputs { input.settle() } }

    /// The next message; nil if there is none, for now.
    func next(isFinal: Bool) throws -> LogRecord? {
        for input in inputs where input.head == nil {
            try Interruption.check()
            _ = try input.advance(isFinal: isFinal)
        }
        let first = inputs.filter { $0.head != nil }.min { ($0.head?.microseconds ?? 0) < ($1.head?.microseconds ?? 0) }
        guard let first, let record = first.head else { return nil }
        source = first.folder
        _ = try first.advance(isFinal: isFinal)
        return record
    }
}
