/// The version of this build, as `--version` and `Operations.Status` tell it.
package enum Version {
    package static let text = "0.1.0"

    /// No clock that is right shows an earlier time: 2026-04-14. Set by hand with each release, so that equal sources give
    /// equal programs whenever they are built.
    package static let date = Timestamp(unixSeconds: 1_776_124_800)
}
