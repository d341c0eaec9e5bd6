import CBLFunctions

/// The programs that are models at the moment. None of them runs before a query asks it.
final class ModelPrograms {
    private var programs: [ModelProgram] = []

    /// Makes these the models that there are, and ends the others. Those that are there already go on, so that a shell keeps its own from one
    /// statement to the next.
    func use(_ texts: [String]) throws(CommandError) {
        var wanted: [ModelDeclaration] = []
        for text in texts {
            let declaration = try ModelDeclaration(text)
            wanted.removeAll { $0.name == declaration.name }
            wanted.append(declaration)
        }
        for program in programs where !wanted.contains(program.declaration) {
            PredictionModels.set(nil, named: program.declaration.name)
            program.end()
        }
        programs.removeAll { !wanted.contains($0.declaration) }
        // One that has failed gets another chance.
        for program in programs { program.forgetFailure() }
        for declaration in wanted where !programs.contains(where: { $0.declaration == declaration }) {
            let program = ModelProgram(declaration)
            programs.append(program)
            PredictionModels.set({ try program.answer($0) }, named: declaration.name)
        }
    }

    func endAll() {
        for program in programs {
            PredictionModels.set(nil, named: program.declaration.name)
            program.end()
        }
        programs = []
    }
}
