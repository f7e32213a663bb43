import { createHmac, createPublicKey } from "node:crypto";
import { decodeJwt, decodeProtectedHeader, exportJWK, generateKeyPair, type JWK, SignJWT } from "jose";

const encoded = (part: unknown): string => Buffer.from(JSON.stringify(part)).toString("base64url");

const partsOf = (token: string): [header: string, payload: string, signature: string] =>
  token.split(".") as [string, string, string];

/** The claims of a good token, with a later end, for another key to sign. */
function longerClaims(good: string) {
  return { ...decodeJwt(good), exp: Math.floor(Date.now() / 1000) + 86_400 };
}

const unsigned = (alg: string) => async (good: string) => {
  const [, payload] = partsOf(good);
  return `${encoded({ alg, typ: "JWT" })}.${payload}.`;
};

/** The keys that the issuer publishes, found as OpenID Connect says. */
async function publishedKey(good: string): Promise<JWK> {
  const { iss = "" } = decodeJwt(good);
  const read = async (address: string) => (await fetch(address)).json();
  const metadata = (await read(`${iss.replace(/\/$/, "")}/.well-known/openid-configuration`)) as {
    jwks_uri: string;
  };
  const { keys } = (await read(metadata.jwks_uri)) as { keys: JWK[] };
  const { kid } = decodeProtectedHeader(good);
  const key = keys.find((candidate) => candidate.kid === kid);
  if (key === undefined) throw new Error("The issuer does not publish the key of its token");
  return key;
}

/** A verifier that lets the token choose a symmetric algorithm would take the public key for the secret. */
const symmetric = (secretOf: (key: JWK) => string | Buffer) => async (good: string) => {
  const key = await publishedKey(good);
  const content = `${encoded({ ...decodeProtectedHeader(good), alg: "HS256" })}.${encoded(longerClaims(good))}`;
  return `${content}.${createHmac("sha256", secretOf(key)).update(content).digest("base64url")}`;
};

const pem = (key: JWK) => createPublicKey({ key, format: "jwk" }).export({ type: "spki", format: "pem" });
const der = (key: JWK) => createPublicKey({ key, format: "jwk" }).export({ type: "spki", format: "der" });

/** Signed well, but by a key of the attacker's own. */
const byStranger = (headerOf: (known: object, own: JWK) => object) => async (good: string) => {
  const { privateKey, publicKey } = await generateKeyPair("ES256");
  const header = headerOf(decodeProtectedHeader(good), await exportJWK(publicKey));
  return new SignJWT(longerClaims(good)).setProtectedHeader({ ...header, alg: "ES256" }).sign(privateKey);
};

const withClaims = (change: object) => async (good: string) => {
  const [header, , signature] = partsOf(good);
  return `${header}.${encoded({ ...decodeJwt(good), ...change })}.${signature}`;
};

const withSignature = (change: (signature: Buffer) => Uint8Array) => async (good: string) => {
  const [header, payload, signature] = partsOf(good);
  const changed = change(Buffer.from(signature, "base64url"));
  return `${header}.${payload}.${Buffer.from(changed).toString("base64url")}`;
};

const flipped = (bytes: Buffer) => bytes.map((byte, index) => (index === 7 ? byte ^ 1 : byte));

/** What an attacker who holds a good token of their own can make of it. No service may accept any of these. */
export const forgeries: readonly [title: string, make: (good: string) => Promise<string>][] = [
  ["the algorithm none", unsigned("none")],
  ["the algorithm nOnE", unsigned("nOnE")],
  [
    "the algorithm none and the old signature",
    async (good) => (await unsigned("none")(good)) + partsOf(good)[2],
  ],
  ["HS256 with the public key's PEM as secret", symmetric(pem)],
  ["HS256 with the public key's PEM, trimmed, as secret", symmetric((key) => pem(key).toString().trim())],
  ["HS256 with the public key's DER as secret", symmetric(der)],
  ["HS256 with the public key's JWK as secret", symmetric((key) => JSON.stringify(key))],
  ["a stranger's key under the issuer's key id", byStranger((known) => known)],
  ["a stranger's key under an unknown key id", byStranger((known) => ({ ...known, kid: "unknown" }))],
  ["a stranger's key without a key id", byStranger(() => ({}))],
  ["a stranger's key that the header brings along", byStranger((known, own) => ({ ...known, jwk: own }))],
  [
    "a stranger's key at an address that the header names",
    byStranger((known) => ({ ...known, jku: "https://keys.example/jwks.json" })),
  ],
  ["another user's name put into it", withClaims({ sub: "somebody-else" })],
  ["a later end put into it", withClaims({ exp: 4_102_444_800 })],
  ["one bit of the signature changed", withSignature(flipped)],
  ["a signature of zeros", withSignature((bytes) => new Uint8Array(bytes.length))],
  ["a signature cut short", withSignature((bytes) => bytes.subarray(0, -1))],
  ["no signature", withSignature(() => new Uint8Array())],
  ["its signature left off", async (good) => partsOf(good).slice(0, 2).join(".")],
  ["a part too many", async (good) => `${good}.${partsOf(good)[2]}`],
  [
    "a payload that is no JSON",
    async (good) => [partsOf(good)[0], "bm90IGpzb24", partsOf(good)[2]].join("."),
  ],
];
