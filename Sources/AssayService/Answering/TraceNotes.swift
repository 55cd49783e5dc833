/// Notes in the trace of a call what its request came to.
package struct TraceNotes: AnswerFollower {
    package init() {}

    package func follow(_ group: inout AnsweredRequests) {
        for (request, answer) in zip(group.requests, group.answers) { request.trace?.note(request, answer) }
    }

    package func follow(_ outcome: ProvisioningOutcome) {}
}
