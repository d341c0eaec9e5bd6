internal import CBLSystemICU

/// The Unicode library, loaded when text outside ASCII first needs it.
struct ICU: @unchecked Sendable {
    // Function pointers, never changed after loading.
    let functions: cblite_icu

    struct Missing: Error {
        let message: String
    }

    private static let loaded: Result<ICU, Missing> = {
        var functions = cblite_icu()
        var message = [CChar](repeating: 0, count: 200)
        if cblite_icu_load(&functions, &message, message.count) { return .success(ICU(functions: functions)) }
        let bytes = message.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return .failure(Missing(message: String(decoding: bytes, as: UTF8.self)))
    }()

    static func load() throws(Missing) -> ICU { try loaded.get() }

    static func isFailure(_ status: Int32) -> Bool { status > cblite_icu_no_error }

    /// The case mapping that belongs to no language.
    static func rootCaseMap(_ icu: ICU) -> OpaquePointer? { caseMap }

    // Opened once, and only read from then on.
    nonisolated(unsafe) private static let caseMap: OpaquePointer? = {
        var status = cblite_icu_no_error
        guard let icu = try? loaded.get() else { return nil }
        return icu.functions.case_map_open("", 0, &status)
    }()
}
