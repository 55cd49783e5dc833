import AssayCore

/// The rules of `ResultKeyRegistry`, `ResultStatusRegistry` and `PayloadIndex`.
extension MemoryState {
    /// Whose place it is.
    struct StatusName: Hashable {
        let device: DeviceID
        let audience: [UInt8]
    }

    struct KeptPlace {
        let place: ResultStatusPlace
        var until: Timestamp
    }

    // MARK: Keys

    mutating func publish(_ keys: [ResultPublicKey], _ context: ChangeContext) -> Int {
        keys.count { publish($0, context) }
    }

    private mutating func publish(_ key: ResultPublicKey, _ context: ChangeContext) -> Bool {
        guard !resultKeys.contains(where: { $0.key.identifier == key.identifier }) else { return false }
        let signs = !resultKeys.contains { $0.key.issuer == key.issuer }
        resultKeys.append(
            PublishedResultKey(key, publishedAt: context.time, signsFrom: signs ? context.time : nil))
        log(.publish(key, signs: signs, context), at: context.time)
        return true
    }

    mutating func setSigning(
        _ identifier: [UInt8], from time: Timestamp, _ context: ChangeContext
    ) -> PublishedResultKey? {
        guard let index = resultKeys.firstIndex(where: { $0.key.identifier == identifier }) else { return nil }
        if resultKeys[index].signsFrom != time {
            resultKeys[index].signsFrom = time
            log(.sign(with: resultKeys[index].key, from: time, context), at: context.time)
        }
        return resultKeys[index]
    }

    // MARK: Places in status lists

    mutating func statusPlace(_ request: ResultStatusRequest) -> ResultStatusPlace {
        let name = StatusName(device: request.device, audience: request.audience)
        if let kept = statusPlaces[name] {
            statusPlaces[name]?.until = max(kept.until, request.until)
            return kept.place
        }
        lastStatusPlace += 1
        let place = ResultStatusPlace(number: lastStatusPlace)
        statusPlaces[name] = KeptPlace(place: place, until: request.until)
        if status(of: request.device) != nil { statusRevisions[place.list, default: 0] += 1 }
        return place
    }

    /// What the places of a device say; `nil` if it is valid.
    private func status(of id: DeviceID) -> ResultStatusEntry.Status? {
        guard let device = device(id), !invalidDevices.contains(id) else { return .invalid }
        if certificates.last(where: { $0.device == id })?.revocation != nil { return .invalid }
        return device.isBlocked ? .suspended : nil
    }

    func statusEntries(ofList list: UInt32) -> [ResultStatusEntry] {
        statusPlaces.filter { $0.value.place.list == list }
            .compactMap { name, kept in
                status(of: name.device).map { ResultStatusEntry(position: kept.place.position, status: $0) }
            }
            .sorted { $0.position < $1.position }
    }

    var statusLists: [ResultStatusList] {
        Set(statusPlaces.values.map(\.place.list)).sorted().map {
            ResultStatusList($0, revision: statusRevisions[$0, default: 0])
        }
    }

    mutating func setInvalid(_ judgements: [DeviceID: Bool]) -> Int {
        let changed = judgements.filter { devices[$0.key] != nil && $0.value != invalidDevices.contains($0.key) }
        invalidDevices.formUnion(changed.filter(\.value).keys)
        invalidDevices.subtract(changed.filter { !$0.value }.keys)
        noteStatusChange(of: Set(changed.keys))
        return changed.count
    }

    /// What the places of these devices say may have changed.
    mutating func noteStatusChange(of changed: Set<DeviceID>) {
        let lists = statusPlaces.filter { changed.contains($0.key.device) }.map(\.value.place.list)
        for list in Set(lists) { statusRevisions[list, default: 0] += 1 }
    }

    /// What the places of all devices that a target names may have changed.
    mutating func noteStatusChange(of target: BlockTarget) {
        noteStatusChange(of: Set(devices.values.filter { $0.blockTarget(target.kind) == target }.map(\.id)))
    }

    // MARK: Purging

    mutating func purgeResults(now: Timestamp) {
        indexed = indexed.filter { $0.until >= now }
        let ended = statusPlaces.filter { $0.value.until < now }
        for (name, kept) in ended where status(of: name.device) != nil { statusRevisions[kept.place.list, default: 0] += 1 }
        for name in ended.keys { statusPlaces[name] = nil }
    }
}
