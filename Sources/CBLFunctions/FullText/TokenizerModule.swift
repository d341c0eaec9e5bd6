import CBLSQLite
import CBLSystemSQLite
import Glibc

/// Makes `UnicodeTokenizer` known to SQLite's FTS4 under the name `unicodesn`.
enum TokenizerModule {
    static func register(on connection: Connection) throws {
        // FTS takes the module's address as a blob, and only from a bound parameter.
        try connection.withStatement("SELECT fts3_tokenizer('unicodesn', ?)") { statement in
            var address = module
            try withUnsafeBytes(of: &address) { try statement.bind(blob: $0, 1) }
            try statement.step()
        }
    }

    nonisolated(unsafe) private static let module: UnsafePointer<cblite_tokenizer_module> = {
        let module = UnsafeMutablePointer<cblite_tokenizer_module>.allocate(capacity: 1)
        module.initialize(
            to: cblite_tokenizer_module(
                version: 0, create: create, destroy: destroy, open: open, close: close, next: next, set_language: nil))
        return UnsafePointer(module)
    }()
}

/// Whether this thread is parsing the text of a full-text query, which the tokenizer cuts a little differently.
package enum FullTextQuery {
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        return key
    }()

    static var isRunning: Bool { pthread_getspecific(key) != nil }

    /// Runs a query's steps so that a stop word with `*` behind it counts as a prefix.
    package static func run<Result>(_ work: () throws -> Result) rethrows -> Result {
        let outer = pthread_getspecific(key)
        pthread_setspecific(key, UnsafeRawPointer(bitPattern: 1))
        defer { pthread_setspecific(key, outer) }
        return try work()
    }
}

private typealias TokenizerPointer = UnsafeMutablePointer<cblite_tokenizer>
private typealias CursorPointer = UnsafeMutablePointer<cblite_tokenizer_cursor>

private let create: @convention(c) (Int32, UnsafePointer<UnsafePointer<CChar>?>?, UnsafeMutablePointer<TokenizerPointer?>?) -> Int32 = {
    count, arguments, result in
    var texts: [String] = []
    for index in 0..<Int(count) {
        if let argument = arguments?[index] { texts.append(String(cString: argument)) }
    }
    do throws(Stemmer.Missing) {
        guard let tokenizer = try UnicodeTokenizer(arguments: texts) else { return SQLITE_ERROR }
        let pointer = TokenizerPointer.allocate(capacity: 1)
        pointer.initialize(to: cblite_tokenizer(module: nil, object: Unmanaged.passRetained(tokenizer).toOpaque()))
        result?.pointee = pointer
        return SQLITE_OK
    } catch {
        UntoldFailure.leave(error.message)
        return SQLITE_ERROR
    }
}

private let destroy: @convention(c) (TokenizerPointer?) -> Int32 = { pointer in
    guard let pointer else { return SQLITE_OK }
    if let object = pointer.pointee.object { Unmanaged<UnicodeTokenizer>.fromOpaque(object).release() }
    pointer.deallocate()
    return SQLITE_OK
}

private let open: @convention(c) (TokenizerPointer?, UnsafePointer<CChar>?, Int32, UnsafeMutablePointer<CursorPointer?>?) -> Int32 = {
    tokenizer, text, count, result in
    let cursor = CursorPointer.allocate(capacity: 1)
    var initial = cblite_tokenizer_cursor()
    if let text {
        initial.text = UnsafeRawPointer(text).assumingMemoryBound(to: UInt8.self)
        initial.count = count < 0 ? Int32(truncatingIfNeeded: strlen(text)) : count
    }
    cursor.initialize(to: initial)
    result?.pointee = cursor
    return SQLITE_OK
}

private let close: @convention(c) (CursorPointer?) -> Int32 = { cursor in
    cursor?.pointee.token?.deallocate()
    cursor?.deallocate()
    return SQLITE_OK
}

private let next:
    @convention(c) (
        CursorPointer?, UnsafeMutablePointer<UnsafePointer<CChar>?>?, UnsafeMutablePointer<Int32>?, UnsafeMutablePointer<Int32>?,
        UnsafeMutablePointer<Int32>?, UnsafeMutablePointer<Int32>?
    ) -> Int32 = { cursor, token, count, start, end, position in
        guard let cursor, let object = cursor.pointee.tokenizer?.pointee.object else { return SQLITE_DONE }
        let tokenizer = Unmanaged<UnicodeTokenizer>.fromOpaque(object).takeUnretainedValue()
        let text = UnsafeRawBufferPointer(start: cursor.pointee.text, count: Int(cursor.pointee.count))
        var offset = Int(cursor.pointee.offset)
        var buffer = TokenBuffer(start: cursor.pointee.token, capacity: Int(cursor.pointee.capacity))
        let found = tokenizer.next(in: text, from: &offset, into: &buffer)
        cursor.pointee.token = buffer.start?.assumingMemoryBound(to: UInt8.self)
        cursor.pointee.capacity = Int32(buffer.capacity)
        cursor.pointee.offset = Int32(offset)
        guard let found else { return SQLITE_DONE }
        token?.pointee = found.bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
        count?.pointee = Int32(found.bytes.count)
        start?.pointee = Int32(found.start)
        end?.pointee = Int32(found.end)
        position?.pointee = cursor.pointee.position
        cursor.pointee.position += 1
        return SQLITE_OK
    }
