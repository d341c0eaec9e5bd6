// swift-tools-version: 6.0
import PackageDescription

// A target may import only what stands below it: the list is ordered from the bottom up, and the compiler holds the rule.

func library(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies)
}

func system(_ name: String, apt package: String) -> Target {
    .systemLibrary(name: name, providers: [.apt([package])])
}

let package = Package(
    name: "cblite",
    products: [
        .executable(name: "cblite", targets: ["cblite"]),
        .library(name: "CouchbaseLiteSwift", targets: ["CouchbaseLiteSwift"]),
        .library(name: "CouchbaseLiteClassic", targets: ["CouchbaseLiteClassic"]),
    ],
    targets: [
        system("CBLSystemSQLite", apt: "libsqlite3-dev"),
        system("CBLSystemICU", apt: "libicu-dev"),
        system("CBLSystemStemmer", apt: "libstemmer-dev"),
        system("CBLSystemNettle", apt: "nettle-dev"),
        system("CBLSystemLibEdit", apt: "libedit-dev"),
        system("CBLSystemZlib", apt: "zlib1g-dev"),
        system("CBLSystemGnuTLS", apt: "libgnutls28-dev"),
        system("CBLSystemCurl", apt: "libcurl4-gnutls-dev"),
        // Without its headers: see there.
        system("CBLSystemAvahi", apt: "libavahi-client3"),
        // The same.
        system("CBLSystemDBus", apt: "libdbus-1-3"),
        // The kernel's own: the language's library leaves it out.
        .systemLibrary(name: "CBLSystemEpoll"),
        .systemLibrary(name: "CBLSystemFiles"),
        // The system's own, too, and without its header.
        .systemLibrary(name: "CBLSystemCrypt"),
        // In C, and its headers alone are needed to build it: Duktape leaves by longjmp, which must not cross Swift.
        .target(name: "CBLSystemDuktape"),

        // In C, as it is compiled for more than one kind of processor.
        .target(name: "CBLCipherKernels"),
        library("CBLBase", ["CBLCipherKernels", "CBLSystemNettle", "CBLSystemFiles", "CBLSystemZlib"]),
        library("CBLFleece", ["CBLBase"]),
        // Likewise.
        .target(name: "CBLVectorKernels"),
        library("CBLVectors", ["CBLVectorKernels", "CBLBase"]),
        library("CBLBLIP", ["CBLBase", "CBLSystemZlib"]),
        library(
            "CBLTransport",
            ["CBLFleece", "CBLBase", "CBLSystemCurl", "CBLSystemGnuTLS", "CBLSystemEpoll", "CBLSystemAvahi", "CBLSystemDBus"]),
        library("CBLSQLite", ["CBLBase", "CBLSystemSQLite"]),
        library("CBLFunctions", ["CBLFleece", "CBLBase", "CBLSQLite", "CBLSystemSQLite", "CBLSystemICU", "CBLSystemStemmer"]),
        library("CBLJSONSchema", ["CBLFunctions", "CBLFleece", "CBLBase"]),
        library(
            "CBLStore",
            ["CBLFunctions", "CBLVectors", "CBLSQLite", "CBLFleece", "CBLBase", "CBLSystemSQLite", "CBLSystemFiles", "CBLSystemNettle"]),
        library("CBLLanguage", ["CBLVectors", "CBLFleece", "CBLBase"]),
        library(
            "CBLQuery", ["CBLLanguage", "CBLStore", "CBLFunctions", "CBLVectors", "CBLSQLite", "CBLFleece", "CBLBase", "CBLSystemSQLite"]),
        library(
            "CBLViews",
            ["CBLStore", "CBLFunctions", "CBLSQLite", "CBLFleece", "CBLBase", "CBLSystemSQLite", "CBLSystemDuktape"]),
        library("CBLReplication", ["CBLBLIP", "CBLTransport", "CBLStore", "CBLFunctions", "CBLFleece", "CBLBase"]),
        library(
            "CBLListener",
            [
                "CBLViews", "CBLQuery", "CBLLanguage", "CBLReplication", "CBLBLIP", "CBLTransport", "CBLStore", "CBLFunctions", "CBLFleece",
                "CBLBase", "CBLSystemCrypt",
            ]),
        library(
            "CBLWorkbench", ["CBLQuery", "CBLReplication", "CBLJSONSchema", "CBLStore", "CBLSQLite", "CBLFleece", "CBLBase"]),
        library(
            "CBLShell",
            [
                "CBLVectors", "CBLWorkbench", "CBLViews", "CBLQuery", "CBLLanguage", "CBLListener", "CBLReplication", "CBLJSONSchema",
                "CBLTransport",
                "CBLStore", "CBLFunctions",
                "CBLSQLite",
                "CBLFleece", "CBLBase",
                "CBLSystemLibEdit",
            ]),
        library(
            "CouchbaseLiteSwift",
            [
                "CBLVectors", "CBLQuery", "CBLLanguage", "CBLListener", "CBLReplication", "CBLTransport", "CBLStore", "CBLFunctions",
                "CBLSQLite",
                "CBLFleece", "CBLBase",
            ]),
        library(
            "CouchbaseLiteClassic",
            [
                "CouchbaseLiteSwift", "CBLListener", "CBLTransport", "CBLViews", "CBLJSONSchema", "CBLFunctions", "CBLStore", "CBLFleece",
                "CBLBase",
            ]),
        .executableTarget(name: "cblite", dependencies: ["CBLShell"]),
        .target(name: "CBLBenchProcesses", path: "Benchmarks/Processes"),
        .executableTarget(
            name: "cblite-bench", dependencies: ["CBLBenchProcesses", "CBLQuery", "CBLStore", "CBLBase"], path: "Benchmarks/Runner"),
        .executableTarget(name: "cblite-bench-sizes", dependencies: ["CBLBenchProcesses", "CBLStore"], path: "Benchmarks/Sizes"),
        .executableTarget(name: "cblite-bench-library", dependencies: ["CouchbaseLiteSwift"], path: "Benchmarks/Library"),
        .executableTarget(name: "cblite-bench-schema", dependencies: ["CBLJSONSchema", "CBLFleece"], path: "Benchmarks/Schema"),
        .executableTarget(
            name: "cblite-bench-views", dependencies: ["CBLViews", "CBLQuery", "CBLStore", "CBLFleece", "CBLSystemDuktape"],
            path: "Benchmarks/Views"),
        .executableTarget(
            name: "cblite-bench-vectors", dependencies: ["CBLQuery", "CBLStore", "CBLVectors", "CBLSQLite", "CBLBase"],
            path: "Benchmarks/Vectors", exclude: ["compare.py"]),
        .executableTarget(name: "cblite-bench-blip", dependencies: ["CBLBLIP"], path: "Benchmarks/BLIP"),
        .executableTarget(name: "cblite-bench-prompt", dependencies: ["CBLBase", "CBLTestSupport"], path: "Benchmarks/Prompt"),
        .executableTarget(name: "cblite-bench-http", dependencies: ["CBLTransport"], path: "Benchmarks/HTTP"),
        .executableTarget(name: "cblite-bench-http-content", dependencies: ["CBLTransport", "CBLBase"], path: "Benchmarks/HTTPContent"),
        .executableTarget(
            name: "cblite-bench-sync", dependencies: ["CBLListener", "CBLReplication", "CBLTransport", "CBLStore", "CBLFleece"],
            path: "Benchmarks/Sync"),

        // Hostile files are made with SQLite itself, under our own wrapper with its precautions.
        .target(name: "CBLTestSupport", dependencies: ["CBLSystemSQLite", "CBLSystemNettle"], path: "Tests/CBLTestSupport"),
        .target(
            name: "CBLReplicationTestSupport",
            dependencies: ["CBLBase", "CBLReplication", "CBLBLIP", "CBLTransport", "CBLStore", "CBLFleece"],
            path: "Tests/CBLReplicationTestSupport"),
        .target(name: "CouchbaseLiteTestSupport", dependencies: ["CouchbaseLiteSwift"], path: "Tests/CouchbaseLiteTestSupport"),
        // Readers of outside bytes, as a fuzzer guided by coverage uses them: `make fuzz`.
        .target(
            name: "CBLFuzzing",
            dependencies: [
                "CBLViews", "CBLLanguage", "CBLReplication", "CBLBLIP", "CBLTransport", "CBLWorkbench", "CBLJSONSchema", "CBLStore",
                "CBLFunctions", "CBLVectors", "CBLSQLite", "CBLFleece", "CBLBase", "CBLTestSupport",
            ], path: "Tests/CBLFuzzing", exclude: ["Cases", "Corpus"]),
        .executableTarget(name: "cblite-fuzz", dependencies: ["CBLFuzzing"], path: "Tests/Fuzzer"),
        .testTarget(name: "CBLFuzzingTests", dependencies: ["CBLFuzzing"]),
        .executableTarget(name: "cblite-soak", dependencies: ["CBLStore", "CBLBase", "CBLTestSupport"], path: "Tests/Soak"),
        .testTarget(name: "CBLBaseTests", dependencies: ["CBLBase", "CBLTestSupport"]),
        .testTarget(name: "CBLFleeceTests", dependencies: ["CBLFleece", "CBLBase", "CBLTestSupport"]),
        .testTarget(name: "CBLVectorsTests", dependencies: ["CBLVectors", "CBLTestSupport"]),
        .testTarget(name: "CBLBLIPTests", dependencies: ["CBLBLIP", "CBLBase", "CBLTestSupport"]),
        .testTarget(name: "CBLTransportTests", dependencies: ["CBLTransport", "CBLBase", "CBLTestSupport"]),
        .testTarget(name: "CBLSQLiteTests", dependencies: ["CBLSQLite", "CBLSystemSQLite", "CBLTestSupport"]),
        .testTarget(
            name: "CBLFunctionsTests",
            dependencies: ["CBLFunctions", "CBLStore", "CBLSQLite", "CBLFleece", "CBLSystemSQLite", "CBLTestSupport"]),
        .testTarget(name: "CBLJSONSchemaTests", dependencies: ["CBLJSONSchema", "CBLFunctions", "CBLFleece", "CBLTestSupport"]),
        .testTarget(
            name: "CBLStoreTests",
            dependencies: [
                "CBLStore", "CBLFunctions", "CBLSQLite", "CBLFleece", "CBLBase", "CBLSystemSQLite", "CBLSystemNettle",
                "CBLTestSupport",
            ]),
        .testTarget(
            name: "CBLLanguageTests", dependencies: ["CBLLanguage", "CBLStore", "CBLSQLite", "CBLFleece", "CBLBase", "CBLTestSupport"]),
        .testTarget(
            name: "CBLQueryTests",
            dependencies: [
                "CBLQuery", "CBLLanguage", "CBLStore", "CBLFunctions", "CBLVectors", "CBLSQLite", "CBLFleece", "CBLBase", "CBLTestSupport",
            ]),
        .testTarget(
            name: "CBLViewsTests",
            dependencies: ["CBLViews", "CBLFunctions", "CBLStore", "CBLSQLite", "CBLFleece", "CBLTestSupport"]),
        .testTarget(
            name: "CBLReplicationTests",
            dependencies: [
                "CBLReplication", "CBLBLIP", "CBLTransport", "CBLStore", "CBLSQLite", "CBLFleece", "CBLBase", "CBLTestSupport",
                "CBLReplicationTestSupport",
            ],
            exclude: ["Recordings"]),
        .testTarget(
            name: "CBLListenerTests",
            dependencies: [
                "CBLListener", "CBLReplication", "CBLBLIP", "CBLTransport", "CBLStore", "CBLFleece", "CBLBase", "CBLTestSupport",
                "CBLReplicationTestSupport",
            ]),
        .testTarget(
            name: "CBLWorkbenchTests",
            dependencies: ["CBLWorkbench", "CBLReplication", "CBLLanguage", "CBLStore", "CBLFleece", "CBLTestSupport"]),
        .testTarget(
            name: "CouchbaseLiteSwiftTests",
            dependencies: ["cblite", "CouchbaseLiteSwift", "CBLTransport", "CBLBase", "CBLTestSupport", "CouchbaseLiteTestSupport"]),
        .testTarget(
            name: "CouchbaseLiteClassicTests",
            dependencies: [
                "CouchbaseLiteClassic", "CBLListener", "CBLReplicationTestSupport", "CBLTestSupport", "CouchbaseLiteTestSupport",
            ]),
        .testTarget(
            name: "CBLShellTests",
            dependencies: [
                "CBLShell", "CBLWorkbench", "CBLReplication", "CBLQuery", "CBLLanguage", "CBLTransport", "CBLStore", "CBLFunctions",
                "CBLFleece", "CBLBase", "CBLTestSupport",
            ]),
        .testTarget(
            name: "CommandTests",
            dependencies: [
                "cblite", "CBLShell", "CBLWorkbench", "CBLReplication", "CBLTransport", "CBLStore", "CBLSQLite", "CBLBase",
                "CBLTestSupport",
                "CBLReplicationTestSupport",
            ],
            exclude: ["Screens"]),
        // In C, as it takes the place of functions of the C library: in this test's process alone.
        .target(name: "CBLDiskCalls", path: "Tests/CBLDiskCalls"),
        .testTarget(
            name: "ReliabilityTests",
            dependencies: [
                "CBLDiskCalls", "CBLQuery", "CBLLanguage", "CBLReplication", "CBLStore", "CBLVectors", "CBLFleece", "CBLTestSupport",
                "CBLReplicationTestSupport",
            ]),
    ],
    swiftLanguageModes: [.v6]
)

// While one thing is being worked on, the tests of the rest need not be built: `CBLITE_TESTS=CBLFleece,CBLStore make test`.
if let chosen = Context.environment["CBLITE_TESTS"]?.split(separator: ",") {
    package.targets.removeAll { target in target.type == .test && !chosen.contains { "\($0)Tests" == target.name } }
}
