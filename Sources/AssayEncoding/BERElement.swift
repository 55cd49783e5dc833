/// One element of BER, as a slice of the original bytes.
package struct BERElement: Sendable {
    package let tag: DERTag
    /// Without the end-of-contents octets of an indefinite length.
    package let content: ArraySlice<UInt8>
    /// Identifier, length, content, and the end-of-contents octets if there are any.
    package let encoded: ArraySlice<UInt8>
}
