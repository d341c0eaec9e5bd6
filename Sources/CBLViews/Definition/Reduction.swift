import CBLFleece

/// What becomes of the rows of a group.
package enum Reduction: Sendable {
    case builtIn(BuiltInReduction)
    /// Makes the reduce function; one for each query.
    case custom(@Sendable () throws -> any Reducer)

    /// The built-in one of a name, as `sum`, or `_sum` as scripts call it.
    package init?(named name: String) {
        guard let builtIn = BuiltInReduction(rawValue: name.hasPrefix("_") ? String(name.dropFirst()) : name) else { return nil }
        self = .builtIn(builtIn)
    }
}

/// The reduce functions that are there without being written. What is no number counts as 0, `true` as 1.
package enum BuiltInReduction: String, Sendable, CaseIterable {
    case count, sum, min, max, average, median, stddev, stats
}

/// Makes one value of the keys and values of a group, and writes it to the encoder. What it throws makes the group's value
/// null, except for a ``ViewError``, which ends the query.
package protocol Reducer: AnyObject {
    /// `rereduce` says that the values are what it wrote before, for parts of the rows, and there are no keys. Queries never ask for that.
    func reduce(_ rows: ReducedRows, rereduce: Bool, into encoder: FleeceEncoder) throws
}

/// Keys and values of a group, one behind the other in one memory.
package final class ReducedRows {
    @exclusivity(unchecked) private var memory = ByteBuffer(capacity: 4096)
    /// Where key and value of each row end.
    @exclusivity(unchecked) private var ends: [(key: Int, value: Int)] = []

    package init() {}

    package var count: Int { ends.count }

    package func add(key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        memory.append(key)
        let end = memory.count
        memory.append(value)
        ends.append((end, memory.count))
    }

    package func removeAll() {
        memory.truncate(to: 0)
        ends.removeAll(keepingCapacity: true)
    }

    /// Valid until something is added. A key or value that is missing is undefined.
    package func key(_ row: Int) -> Value { value(from: row == 0 ? 0 : ends[row - 1].value, to: ends[row].key) }
    package func value(_ row: Int) -> Value { value(from: ends[row].key, to: ends[row].value) }

    private func value(from start: Int, to end: Int) -> Value {
        Value(root: UnsafeRawBufferPointer(rebasing: memory.bytes[start..<end])) ?? .undefined
    }
}

/// The running result of a built-in reduction over values that come one by one.
struct ReductionTally {
    let function: BuiltInReduction
    private var count = 0
    /// Exact while all are whole numbers.
    private var wholeSum: Int64? = 0
    private var sum = 0.0
    private var squares = 0.0
    private var least = Double.infinity
    private var greatest = -Double.infinity
    // The mean so far and the sum of squared distances from it.
    private var (mean, distances) = (0.0, 0.0)
    private var all: [Double] = []

    init(_ function: BuiltInReduction) { self.function = function }

    mutating func add(_ value: Value) {
        count += 1
        guard function != .count else { return }
        let number = value.double ?? (value.boolean == true ? 1 : 0)
        if let known = wholeSum {
            let whole = value.isNumber ? value.integer : Int64(number)
            if let whole {
                let (result, overflow) = known.addingReportingOverflow(whole)
                wholeSum = overflow ? nil : result
            } else {
                wholeSum = nil
            }
        }
        sum += number
        switch function {
        case .stats:
            squares += number * number
            least = Swift.min(least, number)
            greatest = Swift.max(greatest, number)
        case .min: least = Swift.min(least, number)
        case .max: greatest = Swift.max(greatest, number)
        case .stddev:
            let distance = number - mean
            mean += distance / Double(count)
            distances += distance * (number - mean)
        case .median: all.append(number)
        case .count, .sum, .average: break
        }
    }

    mutating func reset() { self = ReductionTally(function) }

    mutating func write(to encoder: FleeceEncoder) {
        switch function {
        case .count: encoder.write(Int64(count))
        case .sum: writeSum(to: encoder)
        case .min: write(least, to: encoder)
        case .max: write(greatest, to: encoder)
        case .average: write(sum / Double(count), to: encoder)
        case .stddev: count > 1 ? write((distances / Double(count - 1)).squareRoot(), to: encoder) : encoder.writeNull()
        case .median: writeMedian(to: encoder)
        case .stats:
            encoder.beginDictionary()
            encoder.writeKey("count")
            encoder.write(Int64(count))
            encoder.writeKey("sum")
            writeSum(to: encoder)
            encoder.writeKey("sumsqr")
            write(squares, to: encoder)
            encoder.writeKey("min")
            write(least, to: encoder)
            encoder.writeKey("max")
            write(greatest, to: encoder)
            encoder.endDictionary()
        }
    }

    private func writeSum(to encoder: FleeceEncoder) {
        if let wholeSum { encoder.write(wholeSum) } else { write(sum, to: encoder) }
    }

    private mutating func writeMedian(to encoder: FleeceEncoder) {
        guard !all.isEmpty else { return encoder.writeNull() }
        all.sort()
        let middle = all.count / 2
        write(all.count % 2 == 1 ? all[middle] : (all[middle - 1] + all[middle]) / 2, to: encoder)
    }

    /// A whole number as such; null for what is no number.
    private func write(_ number: Double, to encoder: FleeceEncoder) {
        if let whole = Int64(exactly: number) {
            encoder.write(whole)
        } else if number.isFinite {
            encoder.write(number)
        } else {
            encoder.writeNull()
        }
    }
}
