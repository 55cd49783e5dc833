// Checks a JWT by node:crypto alone, as docs/start/check-a-result.md does: {token, keys, typ, issuer} on standard input, the claims on standard output.
import { createPublicKey, verify, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";

const { token, keys, typ, issuer } = JSON.parse(readFileSync(0, "utf8"));
const [head, body, signature] = token.split(".");
const header = JSON.parse(Buffer.from(head, "base64url"));
const published = ({ kty, crv, x, y }) => createPublicKey({ key: { kty, crv, x, y }, format: "jwk" });
const certificate = (text) => new X509Certificate(Buffer.from(text, "base64"));

// The key of the first certificate, which a published key signed.
const certified = () => {
  const leaf = certificate(header.x5c[0]);
  const authority = keys.find((key) => key.x5c && leaf.issuer === certificate(key.x5c[0]).subject && leaf.verify(published(key)));
  if (!authority || !certificate(authority.x5c[0]).ca || leaf.ca) throw Error("no published key certified it");
  if (leaf.subject !== `CN=${issuer}` || leaf.keyUsage) throw Error("the certificate is that of another, or for another purpose");
  if (Date.parse(leaf.validFrom) > Date.now() || Date.parse(leaf.validTo) < Date.now()) throw Error("the certificate is not valid now");
  return leaf.publicKey;
};

const key = keys.find((key) => (header.kid ? key.kid === header.kid : key.x5c && key.x5c[0] === header.x5c[0]) && key.alg === header.alg);
if (header.typ !== typ || header.alg !== "ES256" || !(key || header.x5c)) throw Error("another shape, algorithm or key");
const publicKey = key ? published(key) : certified();
if (!verify("sha256", Buffer.from(`${head}.${body}`), { key: publicKey, dsaEncoding: "ieee-p1363" }, Buffer.from(signature, "base64url"))) throw Error("bad signature");
const claims = JSON.parse(Buffer.from(body, "base64url"));
if (claims.exp * 1000 <= Date.now()) throw Error("it has ended");
process.stdout.write(JSON.stringify(claims));
