// Checks a JWT by node:crypto alone, as docs/check-a-result.md does: {token, keys, typ} on standard input, the claims on standard output.
import { createPublicKey, verify } from "node:crypto";
import { readFileSync } from "node:fs";

const { token, keys, typ } = JSON.parse(readFileSync(0, "utf8"));
const [head, body, signature] = token.split(".");
const header = JSON.parse(Buffer.from(head, "base64url"));
const key = keys.find((key) => (header.kid ? key.kid === header.kid : key.x5c && key.x5c[0] === header.x5c[0]) && key.alg === header.alg);
if (header.typ !== typ || header.alg !== "ES256" || !key) throw Error("another shape, algorithm or key");
const { kty, crv, x, y } = key;
const publicKey = { key: createPublicKey({ key: { kty, crv, x, y }, format: "jwk" }), dsaEncoding: "ieee-p1363" };
if (!verify("sha256", Buffer.from(`${head}.${body}`), publicKey, Buffer.from(signature, "base64url"))) throw Error("bad signature");
const claims = JSON.parse(Buffer.from(body, "base64url"));
if (claims.exp * 1000 <= Date.now()) throw Error("it has ended");
process.stdout.write(JSON.stringify(claims));
