import ServiceLifecycle

extension ServiceGroupConfiguration.ServiceConfiguration {
    /// A service whose name in the log is that of its type. Without a name a group reflects on the whole value, and writes all that it holds into
    /// the log: a configuration, for one.
    init(named service: any Service, successTerminationBehavior: TerminationBehavior = .cancelGroup) {
        self.init(
            service: service, successTerminationBehavior: successTerminationBehavior, serviceName: "\(type(of: service))")
    }
}
