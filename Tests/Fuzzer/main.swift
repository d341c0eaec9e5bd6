import CBLFuzzing
import FoundationEssentials
import Glibc

// cblite-fuzz                         the readers
// cblite-fuzz READER [OPTION…]        tries inputs of one, with the options of libFuzzer. `make fuzz` builds it with that.
// cblite-fuzz unpack READER FOLDER    what is kept for it, each input as a file
// cblite-fuzz pack READER FOLDER      keeps what the folder has instead

func fail(_ message: String) -> Never {
    let text = "cblite-fuzz: \(message)\n"
    _ = write(2, text, text.utf8.count)
    exit(2)
}

func reader(_ name: String) -> FuzzedReader {
    guard let reader = FuzzedReader.all.first(where: { $0.name == name }) else { fail("there is no reader \(name)") }
    return reader
}

nonisolated(unsafe) var fuzzed: FuzzedReader?

let words = Array(CommandLine.arguments.dropFirst())
switch words.first {
case nil:
    for reader in FuzzedReader.all { print(reader.name, String(repeating: " ", count: max(0, 16 - reader.name.count)), reader.subject) }
case "unpack" where words.count == 3:
    let folder = words[2]
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for (index, input) in try Corpus.inputs(of: reader(words[1])).enumerated() {
        try Data(input).write(to: URL(filePath: "\(folder)/kept-\(index)"))
    }
case "pack" where words.count == 3:
    let inputs = try FileManager.default.contentsOfDirectory(atPath: words[2]).map {
        try Array(Data(contentsOf: URL(filePath: "\(words[2])/\($0)")))
    }
    try Corpus.write(inputs, for: reader(words[1]))
case let word?:
    // A fuzzer that compares inputs starts itself again, with its own options alone.
    let variable = "CBLITE_FUZZED_READER"
    let isAgain = word.hasPrefix("-")
    let name = isAgain ? ProcessInfo.processInfo.environment[variable] ?? "" : word
    setenv(variable, name, 1)
    typealias Callback = @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
    typealias Driver =
        @convention(c) (
            UnsafeMutablePointer<Int32>, UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>, Callback
        ) -> Int32
    fuzzed = reader(name)
    guard let address = dlsym(nil, "LLVMFuzzerRunDriver") else { fail("built without a fuzzer: use make fuzz") }
    let driver = unsafeBitCast(address, to: Driver.self)
    var arguments =
        ([CommandLine.arguments[0]] + words.dropFirst(isAgain ? 0 : 1) + ["-max_len=\(reader(name).mostBytes)"]).map { strdup($0) } + [nil]
    exit(
        arguments.withUnsafeMutableBufferPointer { buffer in
            guard var list = buffer.baseAddress else { return 2 }
            var count = Int32(buffer.count - 1)
            return driver(&count, &list) { bytes, count in
                fuzzed?.accepts(Array(UnsafeBufferPointer(start: bytes, count: count)))
                return 0
            }
        })
}
