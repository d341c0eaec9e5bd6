import CBLBase
import CBLFleece
import CBLFunctions
import CBLStore

/// A view whose functions are in JavaScript: its text, as a design document or a file has it.
package struct ScriptedView: Sendable, Equatable {
    /// `DESIGN/VIEW`, as in 1.x.
    package var name: String
    package var map: String
    /// A function, or the name of a built-in one: `_sum`.
    package var reduce: String?
    package var collection = CollectionName.default
    package var documentType: String?
    package var collation = JSONCollation.unicode

    package init(_ name: String, map: String, reduce: String? = nil) {
        self.name = name
        self.map = map
        self.reduce = reduce
    }

    /// Changes with everything that the index depends on.
    package var version: String {
        var sha1 = SHA1()
        for part in [map, documentType.map { "t" + $0 } ?? "", "\(collation)"] {
            var text = "\(part.utf8.count):\(part)"
            text.withUTF8 { sha1.update(UnsafeRawBufferPointer($0)) }
        }
        return sha1.finish().withBytes { Hex.text(of: $0) }
    }

    /// The view with its functions compiled. A mistake in one of them is an error here.
    package func definition(
        limits: ScriptLimits = ScriptLimits(), onLog: (@Sendable (_ function: String, _ text: String) -> Void)? = nil
    ) throws -> ViewDefinition {
        let program = try ScriptProgram(map, name: "map")
        var view = ViewDefinition(
            name, version: version, collection: collection, documentType: documentType, collation: collation,
            reduction: try reduction(limits, onLog),
            makeMapper: { try ScriptMapper(program, limits, onLog) })
        view.isScripted = true
        return view
    }

    private func reduction(_ limits: ScriptLimits, _ onLog: (@Sendable (String, String) -> Void)?) throws -> Reduction? {
        guard let reduce else { return nil }
        let text = reduce.drop { $0.isWhitespace }
        if text.hasPrefix("_") {
            let name = String(text.prefix { !$0.isWhitespace && $0 != ";" })
            guard let builtIn = Reduction(named: name) else {
                let known = BuiltInReduction.allCases.map { "_" + $0.rawValue }.joined(separator: ", ")
                throw ViewError.badRequest("there is no reduce function \(name); there are \(known)")
            }
            return builtIn
        }
        let program = try ScriptProgram(reduce, name: "reduce")
        return .custom { try ScriptReducer(program, limits, onLog) }
    }
}

private final class ScriptMapper: Mapper {
    private let runner: ScriptRunner
    private let function: ScriptRunner.Function
    private let revision = UnsafeMutableRawBufferPointer.allocate(byteCount: RevisionID.maximumTextLength, alignment: 1)

    init(_ program: ScriptProgram, _ limits: ScriptLimits, _ onLog: (@Sendable (String, String) -> Void)?) throws {
        runner = try ScriptRunner(limits: limits)
        runner.onLog = onLog
        function = try runner.add(program)
    }

    deinit { revision.deallocate() }

    func map(_ document: MapDocument, _ emitter: Emitter) throws {
        let count = revision.baseAddress.map { RevisionID.writeText(ofColumn: document.versionBytes, to: $0) } ?? 0
        let conflicts = document.conflicts
        let script = ScriptDocument(
            body: document.body, keys: document.keys, id: document.idBytes,
            revision: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(revision)[..<count]), sequence: document.sequence,
            conflicts: conflicts.isEmpty ? [] : conflicts.map(\.description))
        do {
            try runner.map(function, script) { row in
                guard !row.key.isUndefined else { return }
                let value = row.value
                emitter.emit(
                    writingKey: { try row.key.write(to: $0) }, writingValue: value.isUndefined ? nil : { try value.write(to: $0) })
            }
        } catch let error as ScriptError where error.kind == .time {
            // Who waits for that once need not wait for it a thousand times.
            slowCount += 1
            guard slowCount < ScriptMapper.mostSlow else {
                throw ViewError.badRequest("the map function took too long for \(slowCount) documents, \(document.id) among them: \(error)")
            }
            throw error
        }
    }

    private static let mostSlow = 3
    private var slowCount = 0
}

private final class ScriptReducer: Reducer {
    private let runner: ScriptRunner
    private let function: ScriptRunner.Function

    init(_ program: ScriptProgram, _ limits: ScriptLimits, _ onLog: (@Sendable (String, String) -> Void)?) throws {
        runner = try ScriptRunner(limits: limits)
        runner.onLog = onLog
        function = try runner.add(program)
    }

    func reduce(_ rows: ReducedRows, rereduce: Bool, into encoder: FleeceEncoder) throws {
        do { try call(rows, rereduce: rereduce).write(to: encoder) } catch {
            // What it would have given is not null: nobody knows it.
            guard error.kind == .thrown else {
                throw ViewError.badRequest("the reduce function came to no end with \(rows.count) rows: \(error)")
            }
            throw error
        }
    }

    private func call(_ rows: ReducedRows, rereduce: Bool) throws(ScriptError) -> ScriptValue {
        try runner.call(function) { arguments in
            if rereduce {
                arguments.writeNull()
            } else {
                arguments.beginArray()
                for row in 0..<rows.count { arguments.write(rows.key(row), keys: nil) }
                arguments.endArray()
            }
            arguments.beginArray()
            for row in 0..<rows.count { arguments.write(rows.value(row), keys: nil) }
            arguments.endArray()
            arguments.write(rereduce)
        }
    }
}
