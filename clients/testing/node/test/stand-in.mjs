#!/usr/bin/env node
// A program that behaves as assayd must not, by the variable STAND_IN: what the library says then is tested.
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";

const kind = process.env.STAND_IN;
const app = process.argv[process.argv.indexOf("--app") + 1];
const say = (message) => process.stdout.write(JSON.stringify(message) + "\n");

if (kind === "fails") {
  process.stderr.write("assayd: there is a configuration for real devices\n");
  process.exitCode = 78;
} else if (kind === "babbles") {
  process.stdout.write("hello\n");
  process.stdin.resume();
} else if (kind === "silent") {
  process.stdin.resume();
} else {
  if (kind === "ignores") {
    process.on("SIGTERM", () => {});
    setInterval(() => {}, 1000);
  }
  say({ ready: { url: "http://127.0.0.1:1", framed: "127.0.0.1:2", app, version: "0", devices: { pid: process.pid } } });
  for await (const line of createInterface({ input: process.stdin })) {
    const { id, params } = JSON.parse(line);
    if (kind === "ends") {
      process.stderr.write("out of memory\n");
      process.exit(1);
    }
    if (kind === "late" && params.case === "slow") await sleep(500);
    if (params.case === "refused") {
      say({ id, error: { code: "unknown_case", message: 'there is no case "refused"' } });
      continue;
    }
    const request = { evidence: [{ appAttestAssertion: { keyId: "AQI=", assertion: "AwQ=" } }], echo: params };
    const expected = { decision: "DECISION_REJECTED", reason: params.case, retry: "RETRY_CLASS_NEW_CHALLENGE" };
    say({ id, result: { device: "phone-1", platform: "iphone", purpose: "assert", challenge: "AAAA", needs: [], request, expected } });
  }
}
