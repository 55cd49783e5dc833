/** What the daemon's verdict says, if the service sends the evidence as it came. */
export interface Expected {
  accepted: boolean;
  /** The reason code; absent if it is accepted. */
  reason?: string;
  /** What a caller may do next; absent if it is accepted. */
  retry?: "never" | "new_challenge" | "re_attest" | "later" | "contact_operator";
}

/** What a device sends, and the verdict on it. */
export interface Evidence {
  case: string;
  /** The name of the virtual device. */
  device: string;
  platform: "iphone" | "android" | "mac";
  purpose: "assert" | "register";
  /** The challenge that the device signed: not always the one that was given. */
  challenge: Buffer;
  /** The pieces of evidence, each as in the JSON of the API: {"appAttestAssertion": {"keyId": …, "assertion": …}}. */
  pieces: Record<string, any>[];
  /** A complete body of POST /v1/attestation/verify. */
  request: Record<string, any>;
  expected: Expected;
  /** Members that the service's request must have for this outcome, such as subject. */
  needs: string[];
  /** The id of the key that signed; absent for evidence without one. */
  keyId?: Buffer;
  /** What the platform returned to the app: an assertion, an attestation, a signature, or a token's text. */
  body?: Buffer;
  /** The certificates of an Android key attestation, DER. */
  certificates?: Buffer[];
}

export interface EvidenceOptions {
  /** What the device signs; or give its SHA-256. */
  payload?: Uint8Array | string;
  payloadSha256?: Uint8Array;
  /** The one that the service issued to the app, as bytes or Base64; otherwise one is asked for. */
  challenge?: Uint8Array | string;
  /** The context that the service asks for challenges and verdicts with. */
  context?: Uint8Array;
  /** phone-1, phone-2, android-1, or a new name, which is a new device. */
  device?: string;
  /** For a new device. */
  platform?: "iphone" | "android" | "mac";
  purpose?: "assert" | "register";
  /** As the service sends them; the case says which it needs. */
  subject?: Uint8Array | string;
  idempotencyKey?: Uint8Array | string;
  expectedDeviceId?: Uint8Array;
  /** Devices of one scope are others than those of the same names in another. */
  scope?: string;
}

export interface StartOptions {
  /** The name of the app, as the service names it. Default: photos. */
  app?: string;
  /** The path of assayd; otherwise it is looked for below ASSAY_HOME and on the PATH. */
  program?: string;
  /** Milliseconds until it must listen, and until a case must be made. Default: 30000. */
  startTimeout?: number;
  timeout?: number;
  /** Milliseconds that it has to end when it is closed; then it is told to, and after as long again it is killed. Default: 10000. */
  stopTimeout?: number;
  logLevel?: string;
}

/** A daemon on loopback with an app of virtual devices. */
export class TestServer {
  static start(options?: StartOptions): Promise<TestServer>;
  /** The address of the daemon, for HTTP. */
  readonly url: string;
  /** Its address for the framed protocol, HOST:PORT. */
  readonly framed: string;
  readonly app: string;
  readonly version: string;
  /** The devices that stand ready, with their platforms. */
  readonly devices: Record<string, string>;
  /** What the daemon wrote to its log, its last 64 KiB. */
  readonly log: string;
  /** Evidence for a case: accepted, replayed, blocked, unknown, forged, tampered, or a reason code. */
  evidence(name?: string, options?: EvidenceOptions): Promise<Evidence>;
  /** All cases, with what they show, their purposes, platforms and needs; and the codes that none causes. */
  cases(): Promise<Record<string, any>[]>;
  /** Stops the daemon and waits until it has ended. */
  close(): Promise<void>;
  /** The same, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** The server cannot make what was asked for. */
export class CaseError extends Error {
  /** A stable word, such as unknown_case. */
  readonly code: string;
}

/** The server did not start, ended, or did not answer in time. */
export class ServerError extends Error {}

/** There is no assayd to start. */
export class ProgramNotFound extends ServerError {}
