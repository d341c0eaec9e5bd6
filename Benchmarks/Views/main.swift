try ScriptWorkloads.run(Array(CommandLine.arguments.dropFirst()))
