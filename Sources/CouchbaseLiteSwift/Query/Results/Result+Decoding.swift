internal import CBLFleece
internal import CBLQuery
import Foundation

extension Result {
    /// The row as a type of the program, whose properties have the names of columns. With `dataKey`, those that are no columns are looked for in
    /// the dictionary in that column.
    public func data<T>(as type: T.Type, dataKey: String? = nil) throws -> T where T: Decodable {
        let dataColumn = try dataKey.map { key in
            guard let column = shape.column(key) else {
                throw libraryError(CBLError.invalidQuery, "The query has no column \"\(key)\".")
            }
            return column
        }
        return try decode(type, dataColumn)
    }

    func decode<T: Decodable>(_ type: T.Type, _ dataColumn: Int?) throws -> T {
        let dictionary = try dataColumn.map { column in
            guard let dictionary = block[row, column].dictionary else {
                throw libraryError(CBLError.invalidQuery, "The column \"\(keys[column])\" has no dictionary.")
            }
            return dictionary
        }
        return try withExtendedLifetime(self) { try ValueDecoder(self, dictionary).decode(type) }
    }

    /// What blobs in the row need.
    var memory: StoredValues {
        StoredValues(FleeceData(UnsafeRawBufferPointer(start: nil, count: 0), keptBy: block), keys: block.keys, database: shape.database)
    }
}

extension ResultSet {
    /// The rows that are left as types of the program: see ``Result/data(as:dataKey:)``.
    public func data<T>(as type: T.Type, dataKey: String? = nil) throws -> [T] where T: Decodable {
        let dataColumn = try dataKey.map { key in
            guard let column = shape.column(key) else {
                throw libraryError(CBLError.invalidQuery, "The query has no column \"\(key)\".")
            }
            return column
        }
        var decoded: [T] = []
        while let row = next() { decoded.append(try row.decode(type, dataColumn)) }
        if let error { throw error }
        return decoded
    }
}

extension Query {
    /// Runs the query, and gives its rows as a type of the program, whose properties have the names of columns.
    ///
    ///     struct Hotel: Decodable { let name: String; let stars: Int? }
    ///     let hotels = try database.createQuery("SELECT name, stars FROM hotels").execute(as: Hotel.self)
    public func execute<Row: Decodable>(as type: Row.Type, dataKey: String? = nil) throws -> [Row] {
        try execute().data(as: type, dataKey: dataKey)
    }
}
