extension Reflection {
    /// The paths of its one method, whose messages are answered one by one as they come.
    static let paths: Set<String> = [
        "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
        "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
    ]
    /// Questions that are answered of what comes in one read. A client asks, reads the answer, and asks again.
    static let questionsOfOneRead = 32
    /// Its names as a service.
    static let ownServices = ["grpc.reflection.v1.ServerReflection", "grpc.reflection.v1alpha.ServerReflection"]
    /// The longest request that is read, in bytes: it has one name.
    static let longestRequest = 4096
}
