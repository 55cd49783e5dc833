// What a user of TypeScript writes. It is compiled, and never run: a mistake that the types have to find is marked, and it is an error if
// it is none.
import { AssayClient, AssayError, Evidence } from 'assay-client';
import type { Assurance, IssueChallengeRequest, Verdict } from 'assay-client';

export async function use(csr: Uint8Array, deviceId: Buffer, signal: AbortSignal): Promise<Verdict | undefined> {
    const assay = new AssayClient({ url: 'https://assay.example.org', apiKey: 'assay_…', tries: 3 });
    const request: IssueChallengeRequest = { app: 'photos', purpose: 'ASSERT', ttlMs: 60_000 };
    const { challenge, expiresAtUnixMs } = await assay.issueChallenge(request, { timeoutMs: 1000, signal });
    const text: string = challenge.toString('base64');
    const ends: Date = new Date(Number(expiresAtUnixMs));

    const made = await assay.provisionDevice({ app: 'cameras', deviceSerial: text, csr }, { idempotencyKey: 'CAM-0001' });
    if (!made.provisioned) console.error(made.rejection?.reason, made.rejection?.retry === 'LATER', ends);
    await assay.block({ app: 'photos', target: { deviceId }, reason: 'reported stolen' });
    const page = await assay.listDevices({ app: 'photos', state: 'BLOCKED' });
    const counters: number[] = page.devices.map((device) => device.counter);
    const names: string[] = (await assay.whoAmI()).roles.concat(String(counters));
    const feeds = await assay.call('Feeds', 'List', { at: 1n, names }, { idempotent: true });
    if (Array.isArray(feeds.feeds)) return undefined;

    try {
        const verdict = await assay.verify({ app: 'photos', purpose: 'ASSERT', challenge, evidence: [Evidence.keySignature(csr, csr, 'ED25519')] }, { idempotencyKey: 'k' });
        const assurance: Assurance = verdict.assurance;
        const later: string = assurance === 'HARDWARE' ? verdict.requestId.toString('hex') : 'a value of a later daemon';
        return later && verdict.accepted ? verdict : undefined;
    } catch (error) {
        if (error instanceof AssayError && error.code === 'unavailable') console.error(error.link, error.retryAfterMs ?? 0, error.attempts);
        return undefined;
    } finally {
        assay.close();
    }
}

export async function mistakes(assay: AssayClient, verdict: Verdict): Promise<void> {
    // @ts-expect-error: there is no such option
    new AssayClient({ url: 'https://assay.example.org', timeout: 5 });
    // @ts-expect-error: the address is missing
    new AssayClient({ apiKey: 'k' });
    // @ts-expect-error: bytes are no text
    await assay.verify({ app: 'photos', purpose: 'ASSERT', evidence: [], challenge: 'AAEC' });
    // @ts-expect-error: what is asked is missing
    await assay.verify({ purpose: 'ASSERT', evidence: [] });
    // @ts-expect-error: there is no such member
    await assay.verify({ app: 'photos', purpose: 'ASSERT', evidence: [], challange: new Uint8Array() });
    // @ts-expect-error: the method takes no idempotency key
    await assay.unblock({ app: 'photos', target: {} }, { idempotencyKey: 'k' });
    // @ts-expect-error: it is a bigint
    const time: number = verdict.decidedAtUnixMs;
    // @ts-expect-error: it may be left out
    verdict.wouldReject.reason;
    // @ts-expect-error: errors are made by the client
    new AssayError();
    console.error(time);
}
