import CBLBase
import Glibc

/// A running program, and the pipes to and from it.
///
/// Sendable without check because only the thread that has locked its `ModelProgram` uses it.
final class ModelConnection: @unchecked Sendable {
    struct Failure: Error {
        let reason: ModelFailure.Reason
    }

    private let process: ChildProcess
    /// Where it reads, which does not block; -1 when it has been told that nothing comes any more.
    private var input: Int32
    private let output: Int32
    private var ending: ChildProcess.Ending?

    init(_ command: String) throws(CommandError) {
        let down = try ModelConnection.pipe()
        defer { close(down.reading) }
        let up: (reading: Int32, writing: Int32)
        do { up = try ModelConnection.pipe() } catch {
            close(down.writing)
            throw error
        }
        defer { close(up.writing) }
        // SIGTERM is to end the program too, and not only the one that asks it.
        Termination.delay()
        do {
            process = try ChildProcess(shell: ["-c", command], input: down.reading, output: up.writing, isAlone: true)
        } catch {
            close(down.writing)
            close(up.reading)
            throw error
        }
        (input, output) = (down.writing, up.reading)
        _ = fcntl(input, F_SETFL, O_NONBLOCK)
    }

    /// A pipe whose ends no other program gets.
    private static func pipe() throws(CommandError) -> (reading: Int32, writing: Int32) {
        var ends: [Int32] = [-1, -1]
        guard Glibc.pipe(&ends) == 0 else { throw .system("a pipe", errno: errno) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    deinit {
        closeInput()
        close(output)
    }

    private func closeInput() {
        if input >= 0 { close(input) }
        input = -1
    }

    /// Sends a line, and waits for one. Both go on at once: a program may begin to answer before it has read everything.
    func exchange(_ question: UnsafeRawBufferPointer, limit: Int) throws -> [UInt8] {
        guard !hasSomethingToRead(within: 0) else {
            // The end of what it says can be read too.
            throw Failure(reason: read().isEmpty ? endingReason() : .toldTooMuch)
        }
        Interruption.asks(group: process.group)
        defer { Interruption.asks(group: 0) }
        var rest = question
        var answer: [UInt8] = []
        while true {
            if Interruption.isRequested { throw Failure(reason: .interrupted) }
            guard hasSomethingToRead(within: 100, orRoomFor: rest) else { continue }
            send(&rest)
            guard hasSomethingToRead(within: 0) else { continue }
            let piece = read()
            if piece.isEmpty { throw Failure(reason: endingReason()) }
            let end = piece.firstIndex(of: UInt8(ascii: "\n"))
            answer += piece[..<(end ?? piece.count)]
            guard answer.count <= limit else { throw Failure(reason: .lineTooLong(limit: limit)) }
            guard let end else { continue }
            guard end == piece.count - 1 else { throw Failure(reason: .toldTooMuch) }
            if answer.last == UInt8(ascii: "\r") { answer.removeLast() }
            return answer
        }
    }

    /// Waits until there is something to do, or the time is over.
    private func hasSomethingToRead(within milliseconds: Int32, orRoomFor rest: UnsafeRawBufferPointer? = nil) -> Bool {
        var awaited = [pollfd(fd: output, events: Int16(POLLIN), revents: 0)]
        if rest?.isEmpty == false { awaited.append(pollfd(fd: input, events: Int16(POLLOUT), revents: 0)) }
        return poll(&awaited, nfds_t(awaited.count), milliseconds) > 0
    }

    private func send(_ rest: inout UnsafeRawBufferPointer) {
        guard let start = rest.baseAddress, !rest.isEmpty else { return }
        let written = write(input, start, rest.count)
        if written > 0 {
            rest = UnsafeRawBufferPointer(rebasing: rest[written...])
        } else if written < 0, errno != EAGAIN, errno != EINTR {
            // It reads no more; perhaps it has an answer all the same.
            rest = UnsafeRawBufferPointer(start: nil, count: 0)
        }
    }

    /// What there is; empty at the end.
    private func read() -> [UInt8] {
        let size = 1 << 16
        return [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            count = max(0, SystemCall.retrying { Glibc.read(output, buffer.baseAddress, size) })
        }
    }

    /// How the program ended that says nothing any more.
    private func endingReason() -> ModelFailure.Reason {
        ending = process.ending(within: 1000)
        return ending.map { .ended($0) } ?? .closedItsOutput
    }

    /// Ends the program and whatever it has started.
    func end(patiently: Bool) {
        guard ending == nil else { return process.signal(SIGKILL) }
        closeInput()
        // The end of its input is what a program of this kind waits for.
        if patiently { ending = process.ending(within: 500) }
        for signal in [SIGTERM, SIGKILL] where ending == nil {
            process.signal(signal)
            ending = process.ending(within: signal == SIGTERM ? 500 : 5000)
        }
        process.signal(SIGKILL)
    }
}
