import CBLFleece

/// Why a document may not be stored, in the words of a function that was asked.
package struct ScriptRefusal: Sendable, Equatable {
    package let message: String
    /// Whether it is for want of the right user, and not for what the document says.
    package let isUnauthorized: Bool

    package init(message: String, isUnauthorized: Bool) {
        self.message = message
        self.isUnauthorized = isUnauthorized
    }
}

extension ScriptProgram {
    /// A `validate_doc_update` of a design document: `function (newDoc, oldDoc, userCtx, secObj)`, which throws `{forbidden: …}` or `{unauthorized: …}`
    /// at what may not be stored.
    package static func validation(_ source: String, name: String) throws(ScriptError) -> ScriptProgram {
        let alone = try ScriptProgram(source, name: name)
        // What it throws comes back as a value: of errors only the text is known. All in the line in which the function begins.
        let text =
            "function (newDoc, oldDoc, userCtx, secObj) { try { (" + String(decoding: alone.function, as: UTF8.self)
            + ")(newDoc, oldDoc, userCtx, secObj); } catch (problem) { if (problem && typeof problem === 'object') {"
            + " if (problem.unauthorized !== undefined) return [true, String(problem.unauthorized)];"
            + " if (problem.forbidden !== undefined) return [false, String(problem.forbidden)]; } throw problem; } }"
        return try ScriptProgram(text, name: name)
    }
}

extension ScriptRunner {
    /// Asks a validation whether a document may be stored in the place of another one. A function that fails refuses.
    package func validate(
        _ function: Function, _ document: ScriptDocument, replacing former: ScriptDocument?, user: (ScriptArguments) -> Void
    ) throws(ScriptError) -> ScriptRefusal? {
        let answer: ScriptValue
        do throws(ScriptError) {
            answer = try call(function) { arguments in
                arguments.write(document, touched: .everything)
                if let former { arguments.write(former, touched: .everything) } else { arguments.writeNull() }
                user(arguments)
                // Who may do what is not written in the database here.
                arguments.beginObject()
                arguments.endObject()
            }
        } catch {
            guard error.kind == .thrown else { throw error }
            return ScriptRefusal(message: error.message, isUnauthorized: false)
        }
        guard !answer.isUndefined else { return nil }
        do {
            return try answer.encoded().withRoot { root in
                guard let items = root.array, items.count == 2 else { return nil }
                return ScriptRefusal(message: items[1].string ?? "", isUnauthorized: items[0].boolean ?? false)
            }
        } catch { throw error as? ScriptError ?? ScriptError(.broken, function: "validate_doc_update", message: "\(error)") }
    }
}
