import FoundationEssentials
import Glibc

// cblite-soak PROGRAM FOLDER HOURS [SEED] [ws://127.0.0.1:PORT/DATABASE]
//
// With a URL the gateway is somebody else's: an empty database of version 4.0 or later, of this machine, that a guest may read and write.
//
// Lets four replicas and a gateway work for hours, with edits, conflicts, cuts, kills and pauses, live queries and HTTP readers, and looks whether
// memory, descriptors, disk and latency stay what they were. Samples go to FOLDER/samples.csv. Fails if something grew, if the replicas do not come
// to the same at the end, or if one of them is damaged.

signal(SIGPIPE, SIG_IGN)
let words = CommandLine.arguments
guard words.count >= 4, let hours = Double(words[3]) else {
    print("usage: cblite-soak PROGRAM FOLDER HOURS [SEED] [ws://127.0.0.1:PORT/DATABASE]")
    exit(2)
}
let seed = words.count > 4 ? UInt64(words[4]) ?? 1 : 1
let gateway = words.count > 5 ? words[5] : nil
let soak = try Soak(program: words[1], folder: words[2], hours: hours, seed: seed, foreignGateway: gateway)
let problems = try soak.run()
for problem in problems { print("problem: \(problem)") }
print(problems.isEmpty ? "nothing grew, nothing was lost" : "\(problems.count) problems; the logs are in \(words[2])")
exit(problems.isEmpty ? 0 : 1)
