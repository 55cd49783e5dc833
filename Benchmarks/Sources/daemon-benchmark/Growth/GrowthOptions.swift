import ArgumentParser

/// The options of benchmarks of a ledger that grows.
struct GrowthOptions: ParsableArguments {
    @OptionGroup var load: LoadOptions

    @Option(help: "Devices at the end. Default: ten million in a file, a million in a database.")
    var devices: Int?

    @Option(help: "Assertions in each round.")
    var assertions: Int = 20_000

    func validate() throws {
        guard devices ?? 1 > 0, assertions > 0 else { throw ValidationError("All counts are positive.") }
        try load.requireNoCounter()
    }
}
