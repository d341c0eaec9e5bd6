import CBLFleece
internal import CBLSystemDuktape

/// Functions in JavaScript that share one heap. One thread may use it at a time.
///
///     let runner = try ScriptRunner()
///     let byType = try runner.add(program)
///     try runner.map(byType, document) { row in … }
///
/// A function finds what the language has, `emit`, `log`, `sum`, `toJSON` and `isArray`, and nothing by which it could do anything outside. What it
/// assigns to without declaring it is forgotten after each call; what the language comes with cannot be changed. A call that takes too much time or
/// memory ends with an error, and the functions go on in a new heap.
package final class ScriptRunner {
    package let limits: ScriptLimits
    /// Hears what functions pass to `log`, also those that fail.
    package var onLog: ((_ function: String, _ text: String) -> Void)?

    private let engine: OpaquePointer
    private var programs: [ScriptProgram] = []
    private let arguments = ScriptArguments()
    /// The table whose numbers of keys the engine knows. They mean the same in all states of it.
    private var keysIdentity: UInt64 = 0

    /// A function of a runner.
    package struct Function: Sendable, Hashable {
        let index: UInt32
    }

    package init(limits: ScriptLimits = ScriptLimits()) throws(ScriptError) {
        self.limits = limits
        var message = [CChar](repeating: 0, count: 200)
        guard cblite_scripts_load(&message, message.count) else {
            let bytes = message.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
            throw ScriptError(.missingLibrary, function: "", message: String(decoding: bytes, as: UTF8.self))
        }
        guard let engine = cblite_runner_create(max(0, limits.memory), limits.nanoseconds) else {
            throw ScriptError(.memory, function: "", message: "there is no memory for scripts")
        }
        self.engine = engine
    }

    deinit { cblite_runner_destroy(engine) }

    package func add(_ program: ScriptProgram) throws(ScriptError) -> Function {
        try prepare(for: program)
        try compile(program)
        programs.append(program)
        return Function(index: UInt32(programs.count - 1))
    }

    /// Makes a heap if there is none, with all functions in it.
    private func prepare(for program: ScriptProgram) throws(ScriptError) {
        if cblite_runner_is_open(engine) { return }
        keysIdentity = 0
        try check(cblite_runner_open(engine), program)
        for program in programs { try compile(program) }
    }

    private func compile(_ program: ScriptProgram) throws(ScriptError) {
        let outcome = program.name.utf8CString.withUnsafeBufferPointer { name in
            program.function.withUnsafeBytes { source in
                cblite_runner_compile(
                    engine, name.baseAddress, name.count - 1, source.baseAddress?.assumingMemoryBound(to: CChar.self), source.count)
            }
        }
        if outcome == cblite_script_thrown {
            let (message, line) = try thrown(by: program)
            throw ScriptError(.syntax, function: program.name, message: message, line: line)
        }
        try check(outcome, program)
    }

    // Calls

    /// Calls a map function, and then `body` with each row that it emitted; with none if it threw, which is a ``ScriptError``. `body` may not use
    /// the runner.
    package func map(_ function: Function, _ document: ScriptDocument, _ body: (ScriptRow) throws -> Void) throws {
        let program = programs[Int(function.index)]
        try prepare(for: program)
        arguments.reset()
        arguments.write(document, touched: program.touched)
        if cblite_runner_parameters(engine, function.index) > 1 { arguments.writeMeta(of: document) }
        try call(function, cblite_script_map, arguments)
        var reader = records(of: program)
        while let record = try reader.next() {
            if case .row(let row) = record { try body(row) }
        }
    }

    /// Whether a filter lets a document through: whether what it gives is true in JavaScript's eyes. `parameters` are its second argument, and the
    /// `query` of that as well, where functions written for CouchDB look for them.
    package func filter(_ function: Function, _ document: ScriptDocument, parameters: [(name: String, value: String)] = [])
        throws(ScriptError) -> Bool
    {
        let program = programs[Int(function.index)]
        try prepare(for: program)
        arguments.reset()
        arguments.write(document, touched: program.touched)
        if cblite_runner_parameters(engine, function.index) > 1 {
            arguments.beginObject()
            write(parameters)
            arguments.writeKey("query")
            arguments.beginObject()
            write(parameters)
            arguments.endObject()
            arguments.endObject()
        }
        try call(function, cblite_script_filter, arguments)
        return try result(of: program).boolean ?? false
    }

    private func write(_ parameters: [(name: String, value: String)]) {
        for parameter in parameters {
            arguments.writeKey(parameter.name)
            arguments.write(parameter.value)
        }
    }

    /// Calls any function. The result is there until the next call.
    package func call(_ function: Function, _ write: (ScriptArguments) -> Void) throws(ScriptError) -> ScriptValue {
        let program = programs[Int(function.index)]
        try prepare(for: program)
        arguments.reset()
        write(arguments)
        try call(function, cblite_script_function, arguments)
        return try result(of: program)
    }

    private func call(_ function: Function, _ mode: cblite_script_mode, _ arguments: ScriptArguments) throws(ScriptError) {
        let program = programs[Int(function.index)]
        if let failure = arguments.failure { throw ScriptError(.thrown, function: program.name, message: "\(failure)") }
        if arguments.numberedKeys != 0, arguments.numberedKeys != keysIdentity {
            cblite_runner_forget_keys(engine)
            keysIdentity = arguments.numberedKeys
        }
        let outcome = cblite_runner_call(engine, function.index, mode, arguments.items, arguments.count)
        if let onLog { tellLog(of: program, onLog) }
        try check(outcome, program)
    }

    /// How much of the stack that scripts run on was ever used, and how large it is.
    var stack: (used: Int, size: Int) {
        var (used, size) = (0, 0)
        cblite_runner_stack(engine, &used, &size)
        return (used, size)
    }

    // Outcomes

    private func check(_ outcome: cblite_script_outcome, _ program: ScriptProgram) throws(ScriptError) {
        switch outcome {
        case cblite_script_done: return
        case cblite_script_thrown:
            let (message, line) = try thrown(by: program)
            throw ScriptError(.thrown, function: program.name, message: message, line: line)
        case cblite_script_out_of_time:
            throw ScriptError(.time, function: program.name, message: "it took more than \(limits.time) of processor time")
        case cblite_script_out_of_memory:
            throw ScriptError(
                .memory, function: program.name, message: "it needs more than \(limits.memory >> 20) megabytes, or calls itself too often")
        default:
            throw ScriptError(.broken, function: program.name, message: "the JavaScript library gave up")
        }
    }

    private func records(of program: ScriptProgram) -> RecordReader {
        var count = 0
        let bytes = cblite_runner_output(engine, &count)
        return RecordReader(bytes: UnsafeRawBufferPointer(start: bytes, count: count), function: program.name)
    }

    private func thrown(by program: ScriptProgram) throws(ScriptError) -> (message: String, line: Int?) {
        var reader = records(of: program)
        while let record = try reader.next() {
            if case .error(let message, let line) = record { return (message, line) }
        }
        return ("it threw something that cannot be described", nil)
    }

    private func result(of program: ScriptProgram) throws(ScriptError) -> ScriptValue {
        var reader = records(of: program)
        while let record = try reader.next() {
            if case .result(let value) = record { return value }
        }
        throw ScriptError(.broken, function: program.name, message: "it gave no result")
    }

    private func tellLog(of program: ScriptProgram, _ onLog: (String, String) -> Void) {
        var count = 0
        guard let bytes = cblite_runner_log(engine, &count), count > 0 else { return }
        var reader = RecordReader(bytes: UnsafeRawBufferPointer(start: bytes, count: count), function: program.name)
        while reader.place < count, let text = try? reader.text() { onLog(program.name, String(decoding: text, as: UTF8.self)) }
    }
}
