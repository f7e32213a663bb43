import { createHmac, createPublicKey } from "node:crypto";
import { decodeJwt, decodeProtectedHeader, exportJWK, generateKeyPair, type JWK, SignJWT } from "jose";
import { type Case, casesOf, type Table } from "./sample.ts";

/** Makes a token from a valid one that was signed with the published key. */
export type Forge = (good: string, published: JWK) => Promise<string>;

const encoded = (part: unknown): string => Buffer.from(JSON.stringify(part)).toString("base64url");

const partsOf = (token: string): [header: string, payload: string, signature: string] =>
  token.split(".") as [string, string, string];

/** Copies the claims of a valid token, with a later expiry, for signing with another key. */
const longerClaims = (good: string) => ({ ...decodeJwt(good), exp: (decodeJwt(good).exp ?? 0) + 86_400 });

const unsigned = (alg: string) => async (good: string) => {
  const [, payload] = partsOf(good);
  return `${encoded({ alg, typ: "JWT" })}.${payload}.`;
};

/**
 * Signs with the public key as a symmetric secret. A verifier that lets the token choose its algorithm would accept
 * this.
 */
const symmetric =
  (secretOf: (key: JWK) => string | Buffer): Forge =>
  async (good, published) => {
    const content = `${encoded({ ...decodeProtectedHeader(good), alg: "HS256" })}.${encoded(longerClaims(good))}`;
    return `${content}.${createHmac("sha256", secretOf(published)).update(content).digest("base64url")}`;
  };

const pem = (key: JWK) => createPublicKey({ key, format: "jwk" }).export({ type: "spki", format: "pem" });
const der = (key: JWK) => createPublicKey({ key, format: "jwk" }).export({ type: "spki", format: "der" });

/** Signs correctly, but with the attacker's own key. */
const byStranger =
  (headerOf: (known: object, own: JWK) => object): Forge =>
  async (good) => {
    const { privateKey, publicKey } = await generateKeyPair("ES256");
    const header = headerOf(decodeProtectedHeader(good), await exportJWK(publicKey));
    return new SignJWT(longerClaims(good)).setProtectedHeader({ ...header, alg: "ES256" }).sign(privateKey);
  };

const withHeader =
  (header: object): Forge =>
  async (good) => {
    const [, payload, signature] = partsOf(good);
    return `${encoded({ alg: "ES256", typ: "JWT", ...header })}.${payload}.${signature}`;
  };

const withClaims =
  (change: object): Forge =>
  async (good) => {
    const [header, , signature] = partsOf(good);
    return `${header}.${encoded({ ...decodeJwt(good), ...change })}.${signature}`;
  };

const withSignature =
  (change: (signature: Buffer) => Uint8Array): Forge =>
  async (good) => {
    const [header, payload, signature] = partsOf(good);
    const changed = change(Buffer.from(signature, "base64url"));
    return `${header}.${payload}.${Buffer.from(changed).toString("base64url")}`;
  };

const flipped = (bytes: Buffer) => bytes.map((byte, index) => (index === 7 ? byte ^ 1 : byte));

/** Forgeries by an attacker with a valid token. Every service must refuse all of them. */
export const forgeries = casesOf<Forge>({
  "a token is signed": [
    ["the algorithm none", unsigned("none")],
    ["the algorithm nOnE", unsigned("nOnE")],
    [
      "the algorithm none and the old signature",
      async (good) => (await unsigned("none")(good)) + partsOf(good)[2],
    ],
    ["no signature", withSignature(() => new Uint8Array())],
  ],
  "the algorithm is asymmetric": [
    ["the PEM of the public key as an HS256 secret", symmetric(pem)],
    ["the trimmed PEM of the public key as an HS256 secret", symmetric((key) => pem(key).toString().trim())],
    ["the DER of the public key as an HS256 secret", symmetric(der)],
    ["the JWK of the public key as an HS256 secret", symmetric((key) => JSON.stringify(key))],
  ],
  "the key is one of the issuer": [
    ["another key under the key id of the issuer", byStranger((known) => known)],
    ["another key under an unknown key id", byStranger((known) => ({ ...known, kid: "unknown" }))],
    ["another key without a key id", byStranger(() => ({}))],
    ["another key in the header", byStranger((known, own) => ({ ...known, jwk: own }))],
    [
      "another key at an address in the header",
      byStranger((known) => ({ ...known, jku: "https://keys.example/jwks.json" })),
    ],
  ],
  "the header is signed": [
    ["an unknown key id in the header", withHeader({ kid: "unknown" })],
    ["a critical extension in the header", withHeader({ crit: ["exp"], exp: 1 })],
    [
      "an unknown critical extension in the header",
      withHeader({ crit: ["surprise"], surprise: true, b64: true }),
    ],
  ],
  "the claims are signed": [
    ["the name of another user", withClaims({ sub: "somebody-else" })],
    ["a later expiry", withClaims({ exp: 4_102_444_800 })],
  ],
  "the signature is checked": [
    ["one bit of the signature changed", withSignature(flipped)],
    ["a signature of zeros", withSignature((bytes) => new Uint8Array(bytes.length))],
    ["a signature that is cut short", withSignature((bytes) => bytes.subarray(0, -1))],
  ],
  "a token has three parts": [
    ["its signature left off", async (good) => partsOf(good).slice(0, 2).join(".")],
    ["a fourth part", async (good) => `${good}.${partsOf(good)[2]}`],
    [
      "a payload that is not JSON",
      async (good) => [partsOf(good)[0], "bm90IGpzb24", partsOf(good)[2]].join("."),
    ],
  ],
});

/** Changes the claims of a valid token. An undefined claim is removed. */
export type ChangeClaims = (claims: { iss: string; aud: string; nowSeconds: number }) => object;

const daySeconds = 86_400;

const bad: Table<ChangeClaims> = {
  "iss is the issuer": [
    ["of another issuer", () => ({ iss: "https://issuer.example" })],
    ["without an issuer", () => ({ iss: undefined })],
    ["with a slash after the issuer", ({ iss }) => ({ iss: `${iss}/` })],
    ["with a list of issuers", ({ iss }) => ({ iss: [iss] })],
  ],
  "aud is the audience": [
    ["for another audience", () => ({ aud: "another-service" })],
    ["without an audience", () => ({ aud: undefined })],
    ["with an empty audience", () => ({ aud: "" })],
    ["with no audience in the list", () => ({ aud: [] })],
    ["for another client", () => ({ aud: undefined, client_id: "another-service" })],
    ["for another service of our client", ({ aud }) => ({ aud: "another-service", client_id: aud })],
    ["with no audience in the list, of our client", ({ aud }) => ({ aud: [], client_id: aud })],
    ["with the audience in another case", ({ aud }) => ({ aud: aud.toUpperCase() })],
  ],
  "exp is a number": [
    ["that never expires", () => ({ exp: undefined })],
    ["with an expiry that is text", ({ nowSeconds }) => ({ exp: `${nowSeconds + daySeconds}` })],
    ["with an expiry of null", () => ({ exp: null })],
  ],
  "exp is at most a day and an hour away": [
    ["with an expiry ten years away", ({ nowSeconds }) => ({ exp: nowSeconds + 3650 * daySeconds })],
    ["with an expiry two days away", ({ nowSeconds }) => ({ exp: nowSeconds + 2 * daySeconds })],
  ],
  "nbf is in the past": [
    ["that is not valid yet", ({ nowSeconds }) => ({ nbf: nowSeconds + 600 })],
    ["with a beginning that is text", () => ({ nbf: "now" })],
  ],
  "sub is a string": [
    ["without a subject", () => ({ sub: undefined })],
    ["with an empty subject", () => ({ sub: "" })],
    ["with a number for a subject", () => ({ sub: 42 })],
    ["with a subject of null", () => ({ sub: null })],
    ["with a list of subjects", () => ({ sub: ["a", "b"] })],
  ],
  "sub is a short text of printable ASCII": [
    ["with a subject of 2,000 letters", () => ({ sub: "x".repeat(2_000) })],
    ["with a NUL byte in the subject", () => ({ sub: "a\0b" })],
  ],
  "a refresh helps only a token that is otherwise good": [
    [
      "that has expired and is for another audience",
      ({ nowSeconds }) => ({ exp: nowSeconds - daySeconds, aud: "another-service" }),
    ],
    [
      "that has expired and is of another issuer",
      ({ nowSeconds }) => ({ exp: nowSeconds - daySeconds, iss: "https://issuer.example" }),
    ],
    [
      "that has expired and has no subject",
      ({ nowSeconds }) => ({ exp: nowSeconds - daySeconds, sub: undefined }),
    ],
  ],
};

/** Tokens of the issuer that are refused without asking for a refresh. */
export const badClaims: readonly (Case & { value: ChangeClaims })[] = casesOf(bad);

/** Tokens of the issuer that are accepted. */
export const goodClaims = casesOf<ChangeClaims>({
  "aud may be a list": [["with the audience among others", ({ aud }) => ({ aud: ["another-service", aud] })]],
  "client_id may stand for aud": [
    [
      "with the audience in client_id, as Cognito writes it",
      ({ aud }) => ({ aud: undefined, client_id: aud }),
    ],
  ],
  "times are optional but for exp": [
    ["with an expiry a day away", ({ nowSeconds }) => ({ exp: nowSeconds + daySeconds })],
    ["with a beginning in the past", ({ nowSeconds }) => ({ nbf: nowSeconds - 60 })],
    ["without the time of issue", () => ({ iat: undefined })],
  ],
  "unknown claims are ignored": [
    ["with unknown claims", () => ({ surprise: { a: [1, "__proto__"] }, ref: 42, nickname: null })],
  ],
});

/** Suffixes of subjects that are accepted. */
export const goodSubjects = casesOf<string>({
  "a plain subject": [["a", "a"]],
  "a subject with punctuation": [
    ["auth0|5f7c8ec7c33c6c004bbafe82", "auth0|5f7c8ec7c33c6c004bbafe82"],
    ["a b", "a b"],
    ["../..", "../.."],
    ["*", "*"],
  ],
  "a subject like a key of the table": [
    ["x#WALLET#eth", "x#WALLET#eth"],
    ["PROFILE", "PROFILE"],
  ],
  "a subject of 255 characters": [["255 characters", "x".repeat(255)]],
});
