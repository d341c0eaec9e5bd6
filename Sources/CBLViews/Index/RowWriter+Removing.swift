import CBLFleece
import CBLSQLite

/// Taking out rows of documents, many at once: going through the tables in their order writes each row of SQLite once.
extension RowWriter {
    /// How much memory places of rows may take until they are taken out, in bytes.
    private static let mostMemory = 16 << 20

    /// Takes out all rows of documents, and gives the sum of the marks of those that had some.
    func remove(_ outdated: inout ByteList) throws -> Int {
        try index.guarded {
            var marks = 0
            var places = ByteList()
            var specials: [Int64] = []
            try outdated.forEach(in: .bytes) { id, mark in
                guard try documents.take(id) else { return }
                marks += Int(mark)
                note(documents.taken.bytes, of: id, in: &places, &specials)
                if places.byteCount > RowWriter.mostMemory { try remove(places: &places) }
            }
            outdated.removeAll()
            try documents.finish()
            try remove(places: &places)
            for special in specials { try remove(special) }
            return marks
        }
    }

    /// Reads what a document has.
    private func note(
        _ content: UnsafeRawBufferPointer, of id: UnsafeRawBufferPointer, in places: inout ByteList, _ specials: inout [Int64]
    ) {
        var reader = PackedReader(content)
        for _ in 0..<(reader.count() ?? 0) {
            guard let special = reader.count() else { break }
            specials.append(Int64(special))
        }
        var number = 0
        while let count = reader.count(), let key = reader.bytes(count) {
            place.truncate(to: 0)
            RowPosition.write(key: key, number: number, id: id, to: &place)
            places.append(place.bytes)
            number += 1
        }
    }

    private func remove(places: inout ByteList) throws {
        var lost: Set<[UInt8]> = []
        try places.forEach(in: .rows(index.order(state.collation))) { place, _ in
            if try rows.take(place) { state.count -= 1 } else { lost.insert(Array(RowPosition(place).id)) }
        }
        places.removeAll()
        try rows.finish()
        // The order of texts outside of ASCII depends on a library, which may have changed: then no search leads there.
        if !lost.isEmpty { state.count -= try rows.takeAll(of: index.connection) { lost.contains(Array(RowPosition($0.place).id)) } }
    }

    private func remove(_ special: Int64) throws {
        let specials = IndexSchema.specials(state.view)
        guard state.hasShapes || !state.languages.isEmpty else { return }
        let find = try statement("SELECT language FROM \(specials) WHERE special=?")
        try find.bind(special, 1)
        let language: String?? = try find.step() ? .some(find.string(0)) : nil
        find.reset()
        guard let language else { return }
        let table =
            if let language { state.languages.contains(language) ? IndexSchema.texts(state.view, language) : nil } else {
                state.hasShapes ? IndexSchema.boxes(state.view) : nil
            }
        if let table {
            let deletion = try statement("DELETE FROM \(table) WHERE \(language == nil ? "special" : "docid")=?")
            try deletion.bind(special, 1)
            try deletion.run()
        }
        let deletion = try statement("DELETE FROM \(specials) WHERE special=?")
        try deletion.bind(special, 1)
        try deletion.run()
    }
}
