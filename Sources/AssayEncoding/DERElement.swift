/// One element of DER, as a slice of the original bytes.
package struct DERElement: Sendable {
    package let tag: DERTag
    package let content: ArraySlice<UInt8>
    /// Identifier, length and content.
    package let encoded: ArraySlice<UInt8>
}
