/// The version of this build, as `--version` and `Operations.Status` tell it.
package enum Version {
    package static let text = "0.1.0"
}
