public import NIOCore
public import NIOHTTP2

/// A connection that rests gives NIO's handler back, and makes another later. NIO's handler drops what it holds when it is removed; that a pipeline may
/// remove it is not declared in the library.
extension NIOHTTP2Handler: @retroactive RemovableChannelHandler {}
