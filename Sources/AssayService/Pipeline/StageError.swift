import AssayCore

/// Why a request left the stages of the pipeline early.
enum StageError: Error {
    /// The evidence or the request is refused: the answer is a verdict. The device is the one that the registry has for it.
    case refused(Rejection, check: String, device: Device? = nil)
    /// The request cannot be judged. Nothing was spent.
    case failed(PipelineError)
    /// The answer is not awaited any more.
    case abandoned
}
