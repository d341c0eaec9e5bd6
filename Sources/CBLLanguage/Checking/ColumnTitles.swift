/// The titles of columns, made different from each other.
package enum ColumnTitles {
    /// Aliases are taken as they are, and before all others. An empty name becomes `$1`, `$2` …, one that is taken `name #2`, `name #3` ….
    package static func unique(_ aliases: [String?], _ names: [String]) -> [String] {
        var taken = Set(aliases.compactMap { $0 })
        // How far each name has been numbered, so that a thousand columns of one name do not cost a million tries.
        var numbers: [String: Int] = [:]
        return zip(aliases, names).map { alias, name in
            if let alias { return alias }
            if !name.isEmpty, taken.insert(name).inserted { return name }
            var number = numbers[name] ?? (name.isEmpty ? 0 : 1)
            var title: String
            repeat {
                number += 1
                title = name.isEmpty ? "$\(number)" : "\(name) #\(number)"
            } while !taken.insert(title).inserted
            numbers[name] = number
            return title
        }
    }
}
