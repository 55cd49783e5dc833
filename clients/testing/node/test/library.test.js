// What the library does with a server that misbehaves. The program is a stand-in, chosen by STAND_IN.
import assert from "node:assert/strict";
import { mkdtempSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { CaseError, ProgramNotFound, ServerError, TestServer } from "../index.js";

const STAND_IN = fileURLToPath(new URL("../../stand_in.py", import.meta.url));

/** Starts the stand-in; the test's end closes it. */
async function start(t, kind, options = {}) {
  process.env.STAND_IN = kind;
  const server = await TestServer.start({ program: STAND_IN, ...options });
  t.after(() => server.close());
  return server;
}

test("it asks as it is told and reads the reply", async (t) => {
  const server = await start(t, "honest", { app: "films" });
  assert.equal(server.app, "films");
  const made = await server.evidence("expired", {
    payload: "x", subject: "alice", context: Buffer.from([1]), challenge: "AAAA", device: "phone-2", scope: "s", platform: undefined });
  assert.deepEqual(made.request.echo, {
    case: "expired", subject: "YWxpY2U=", context: "AQ==", challenge: "AAAA", device: "phone-2", scope: "s",
    payloadSha256: "LXEWQrcmsEQBYnyp+6wy9chTD7GQPMTbAiWHF5IaSIE=" });
  assert.deepEqual(made.expected, { accepted: false, reason: "expired", retry: "new_challenge" });
  assert.deepEqual([made.keyId, made.body, made.challenge], [Buffer.from([1, 2]), Buffer.from([3, 4]), Buffer.alloc(3)]);
  await assert.rejects(server.evidence("x", { payload: "x", payloadSha256: Buffer.alloc(32) }), /not both/);
});

test("a case that there is not is an error with its code, and the next one is made", async (t) => {
  const server = await start(t, "honest");
  await assert.rejects(server.evidence("refused"), (error) => error instanceof CaseError && error.code === "unknown_case");
  assert.equal((await server.evidence("other")).expected.reason, "other");
});

test("calls at a time get their own replies", async (t) => {
  const server = await start(t, "honest");
  const names = Array.from({ length: 50 }, (_, index) => `case${index}`);
  const made = await Promise.all(names.map((name) => server.evidence(name)));
  assert.deepEqual(made.map((one) => one.expected.reason), names);
});

test("a server that does not start says why", async (t) => {
  await assert.rejects(start(t, "fails"), /status 78: assayd: there is a configuration for real devices/);
});

test("a server that does not listen is stopped in time", async (t) => {
  const began = Date.now();
  await assert.rejects(start(t, "silent", { startTimeout: 300 }), /did not listen in time/);
  assert.ok(Date.now() - began < 20_000);
});

test("a server of another kind is told apart", async (t) => {
  await assert.rejects(start(t, "babbles"), /not JSON: hello/);
});

test("a server that ends says why, to each call", async (t) => {
  const server = await start(t, "ends");
  await assert.rejects(server.evidence(), /status 1: out of memory/);
  await assert.rejects(server.evidence(), ServerError);
});

test("a late reply is not taken for that of the next call", async (t) => {
  const server = await start(t, "late", { timeout: 2000 });
  await assert.rejects(server.evidence("slow"), /in time/);
  assert.equal((await server.evidence("next")).expected.reason, "next");
});

test("it ends when it is closed, also against its will", async (t) => {
  for (const [kind, limit] of [["honest", 20_000], ["ignores", 20_000]]) {
    const server = await start(t, kind, { stopTimeout: 2000 });
    const began = Date.now();
    await server.close();
    assert.ok(Date.now() - began < limit);
    assert.throws(() => process.kill(server.devices.pid, 0), { code: "ESRCH" });
    await server.close();
  }
});

test("the program is looked for where the message says", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "assay-testing-"));
  const { PATH, ASSAY_HOME } = process.env;
  t.after(() => {
    rmSync(folder, { recursive: true });
    process.env.PATH = PATH;
    if (ASSAY_HOME === undefined) delete process.env.ASSAY_HOME;
    else process.env.ASSAY_HOME = ASSAY_HOME;
  });
  process.env.PATH = folder;
  delete process.env.ASSAY_HOME;
  await assert.rejects(TestServer.start(), (error) => error instanceof ProgramNotFound && /ASSAY_HOME is not set/.test(error.message));
  process.env.ASSAY_HOME = folder;
  await assert.rejects(TestServer.start(), /there is no assayd in it: looked for .*bin\/assayd/);
  await assert.rejects(TestServer.start({ program: join(folder, "nothing") }), /nothing is not a program/);
  process.env.PATH = PATH;
  process.env.STAND_IN = "honest";
  mkdirSync(join(folder, "bin"));
  symlinkSync(STAND_IN, join(folder, "bin", "assayd"));
  await (await TestServer.start()).close();
});
