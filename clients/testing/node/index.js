// A daemon for tests of services that call Assay, and the dialogue with it: `assayd test-server`. Types and explanations: index.d.ts.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";

export class ServerError extends Error {
  name = "ServerError";
}

export class ProgramNotFound extends ServerError {
  name = "ProgramNotFound";
}

export class CaseError extends Error {
  name = "CaseError";
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

const LOG_LIMIT = 64 * 1024;

export class TestServer {
  #child;
  #ended;
  #timeout;
  #stopTimeout;
  #log = "";
  #nextId = 0;
  #waiting = new Map();
  #ready = settled();
  #failure = null;

  static async start(options = {}) {
    const server = new TestServer(options);
    try {
      const ready = await server.#within(server.#ready.promise, options.startTimeout ?? 30_000, "did not listen");
      Object.assign(server, ready);
      return server;
    } catch (error) {
      await server.close();
      throw error;
    }
  }

  /** Use `TestServer.start`, which waits until it listens. */
  constructor({ app = "photos", program, timeout = 30_000, stopTimeout = 10_000, logLevel = "warning" } = {}) {
    this.#timeout = timeout;
    this.#stopTimeout = stopTimeout;
    this.#child = spawn(find(program), ["test-server", "--app", app, "--log-level", logLevel], { stdio: "pipe" });
    this.#ended = new Promise((resolve) => {
      this.#child.once("error", (error) => resolve(`it does not start: ${error.message}`));
      this.#child.once("close", (status, signal) => resolve(signal === null ? `status ${status}` : signal));
    });
    this.#child.stderr.setEncoding("utf8").on("data", (text) => (this.#log = (this.#log + text).slice(-LOG_LIMIT)));
    this.#child.stdin.on("error", () => {}); // it has ended, which is told below
    createInterface({ input: this.#child.stdout }).on("line", (line) => this.#read(line));
    this.#ended.then((end) => {
      const log = this.#log.trim().slice(-2000);
      this.#fail(new ServerError(`the server has ended (${[end, log].filter(Boolean).join(": ")})`));
    });
    // A failure that no call waits for is no unhandled rejection.
    this.#ready.promise.catch(() => {});
  }

  get log() {
    return this.#log;
  }

  async evidence(name = "accepted", options = {}) {
    const { payload, ...given } = options;
    if (payload !== undefined && given.payloadSha256 !== undefined) throw new TypeError("give the payload or its SHA-256, not both");
    if (payload !== undefined) given.payloadSha256 = createHash("sha256").update(payload).digest();
    const params = { case: name };
    for (const [member, value] of Object.entries(given)) {
      if (value === undefined) continue;
      // Only a challenge comes as Base64: services pass it on so.
      const isText = ["device", "platform", "purpose", "scope"].includes(member) || (member === "challenge" && typeof value === "string");
      params[member] = isText ? value : Buffer.from(value).toString("base64");
    }
    return new MadeEvidence(name, await this.#ask("evidence", params));
  }

  cases() {
    return this.#ask("cases", {});
  }

  async close() {
    this.#child.stdin.end(); // it ends with its input
    for (const [signal, patience] of [[null, this.#stopTimeout], ["SIGTERM", this.#stopTimeout], ["SIGKILL", 5000]]) {
      if (signal !== null) this.#child.kill(signal);
      const timer = new AbortController();
      const late = sleep(patience, true, { signal: timer.signal }).catch(() => true);
      const isLate = await Promise.race([this.#ended.then(() => false), late]);
      timer.abort();
      if (!isLate) return;
    }
  }

  [Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose")]() {
    return this.close();
  }

  // The dialogue

  #ask(method, params) {
    if (this.#failure !== null) return Promise.reject(this.#failure);
    const id = ++this.#nextId;
    const reply = settled();
    this.#waiting.set(id, reply);
    this.#child.stdin.write(JSON.stringify({ id, method, params }) + "\n");
    return this.#within(reply.promise, this.#timeout, `did not answer ${method}`).finally(() => this.#waiting.delete(id));
  }

  #read(line) {
    let message;
    try {
      message = JSON.parse(line);
    } catch {
      return this.#fail(new ServerError(`the server wrote a line that is not JSON: ${line.slice(0, 200)}`));
    }
    if (message.ready !== undefined) return this.#ready.resolve(message.ready);
    const reply = this.#waiting.get(message.id);
    if (message.error !== undefined) reply?.reject(new CaseError(message.error.code, message.error.message));
    else reply?.resolve(message.result);
  }

  #fail(error) {
    this.#failure ??= error;
    this.#ready.reject(this.#failure);
    for (const reply of this.#waiting.values()) reply.reject(this.#failure);
  }

  async #within(promise, milliseconds, failure) {
    let timer;
    const late = new Promise((_, reject) => {
      timer = setTimeout(() => {
        const log = this.#log.trim().slice(-2000);
        reject(new ServerError(`the server ${failure} in time${log ? ` (${log})` : ""}`));
      }, milliseconds);
    });
    try {
      return await Promise.race([promise, late]);
    } finally {
      clearTimeout(timer);
    }
  }
}

class MadeEvidence {
  constructor(name, { device, platform, purpose, challenge, request, expected, needs }) {
    Object.assign(this, { case: name, device, platform, purpose, request, needs });
    this.challenge = Buffer.from(challenge, "base64");
    this.pieces = request.evidence;
    this.expected = { accepted: expected.decision === "DECISION_ACCEPTED" };
    if (!this.expected.accepted) {
      this.expected.reason = expected.reason;
      this.expected.retry = expected.retry.replace("RETRY_CLASS_", "").toLowerCase();
    }
    const [piece] = Object.values(this.pieces[0]);
    const bytes = piece.assertion ?? piece.attestation ?? piece.signature;
    const text = piece.token ?? piece.jws;
    if (piece.keyId !== undefined) this.keyId = Buffer.from(piece.keyId, "base64");
    if (bytes !== undefined) this.body = Buffer.from(bytes, "base64");
    else if (text !== undefined) this.body = Buffer.from(text);
    if (piece.certificates !== undefined) this.certificates = piece.certificates.map((text) => Buffer.from(text, "base64"));
  }
}

/** A promise, and what settles it. */
function settled() {
  let resolve, reject;
  const promise = new Promise((...both) => ([resolve, reject] = both));
  return { promise, resolve, reject };
}

// The program

function find(named) {
  if (named !== undefined) {
    if (!runs(named)) throw new ProgramNotFound(`${named} is not a program that this user may run`);
    return named;
  }
  const home = process.env.ASSAY_HOME;
  if (home) {
    const places = ["bin", "", join(".build", "release")].map((folder) => join(home, folder, "assayd"));
    const place = places.find(runs);
    if (place === undefined) throw new ProgramNotFound(`ASSAY_HOME is ${home}, and there is no assayd in it: looked for ${places.join(", ")}`);
    return place;
  }
  const found = (process.env.PATH ?? "").split(delimiter).filter(Boolean).map((folder) => join(folder, "assayd")).find(runs);
  if (found !== undefined) return found;
  throw new ProgramNotFound(
    "assayd is not on the PATH, and ASSAY_HOME is not set: install Assay, or set ASSAY_HOME to the folder of a release (the one that has bin/assayd)",
  );
}

function runs(path) {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
