// The README's test of a handler, as it is there, against the real daemon.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { TestServer } from "../index.js";

const PACKAGE = fileURLToPath(new URL("..", import.meta.url));

function folder(t) {
  const path = mkdtempSync(join(tmpdir(), "assay-testing-"));
  t.after(() => rmSync(path, { recursive: true }));
  return path;
}

/** Runs Node.js to its end, as no child of a test. */
function run(arguments_, options) {
  const { NODE_TEST_CONTEXT, ...env } = { ...process.env, ...options.env };
  return new Promise((resolve) =>
    execFile(process.execPath, arguments_, { timeout: 60_000, ...options, env }, (error, stdout, stderr) =>
      resolve({ status: error === null ? 0 : error.code, stdout, stderr })));
}

test("the test of the README passes", async (t) => {
  const place = folder(t);
  const blocks = [...readFileSync(join(PACKAGE, "README.md"), "utf8").matchAll(/<!-- file: (\S+) -->\n```js\n(.*?)```/gs)];
  assert.deepEqual(blocks.map((block) => block[1]), ["handler.mjs", "handler.test.mjs"]);
  for (const [, name, text] of blocks) writeFileSync(join(place, name), text);
  mkdirSync(join(place, "node_modules"));
  symlinkSync(PACKAGE, join(place, "node_modules", "assay-testing"));
  const ended = await run(["--test", "--test-reporter=tap"], { cwd: place });
  assert.equal(ended.status, 0, ended.stdout + ended.stderr);
  assert.match(ended.stdout, /# pass 9\n# fail 0/);
});

test("each evidence has the verdict that it names", async (t) => {
  const server = await TestServer.start();
  t.after(() => server.close());
  assert.deepEqual(server.devices, { "phone-1": "iphone", "phone-2": "iphone", "android-1": "android" });
  for (const name of ["accepted", "replayed", "blocked", "challenge_expired", "bootloader_unlocked", "receipt_too_old", "app_verdict"]) {
    const made = await server.evidence(name, { payload: "a photo" });
    const answer = await fetch(`${server.url}/v1/attestation/verify`, {
      method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(made.request) });
    const verdict = await answer.json();
    assert.equal(verdict.decision === "DECISION_ACCEPTED", made.expected.accepted, JSON.stringify(verdict));
    assert.equal(verdict.reason, made.expected.reason, JSON.stringify(verdict));
  }
});

test("a server ends with the process that started it, and leaves nothing", async (t) => {
  const place = folder(t);
  const script = `import { TestServer } from ${JSON.stringify(join(PACKAGE, "index.js"))};
    await TestServer.start(); process.kill(process.pid, "SIGKILL");`;
  await run(["--input-type=module", "-e", script], { env: { TMPDIR: place } });
  for (let index = 0; index < 200 && readdirSync(place).length > 0; index++) await sleep(50);
  assert.deepEqual(readdirSync(place), []);
  assert.ok(existsSync(place));
});
