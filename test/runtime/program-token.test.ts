import { SignJWT, UnsecuredJWT } from "jose";
import { describe, expect, it, vi } from "vitest";
import type { ProgramKey } from "../../lib/orders/program-key.ts";
import { isOfProgram, programVerifier } from "../../lib/runtime/program-token.ts";
import { makeProgram, type TokenForm } from "../support/program-tokens.ts";

const now = new Date("2026-11-30T09:00:00Z");
const seconds = now.getTime() / 1000;
const keyId = "pk_abcdefghijklmnopqrst";
const program = makeProgram();
const stranger = makeProgram();

const key: ProgramKey = {
  userID: "alice",
  keyId,
  name: "bot",
  publicKey: program.publicKey,
  scopes: ["read"],
  createdAt: "2026-11-01T00:00:00.000Z",
  endsAt: "2027-01-01T00:00:00.000Z",
  revision: 1,
  expiresAt: 2_000_000_000,
};

const path = "/api/v2/orders";
const request = { method: "POST", paths: [path, `/live${path}`] };

const sign = (form: TokenForm = {}) =>
  program.tokenFor({ userID: "alice", keyId }, { method: "POST", path, body: "{}" }, { now, ...form });

type ReadKey = Parameters<typeof programVerifier>[0];
const stored = (change: Partial<ProgramKey> = {}) => vi.fn<ReadKey>(async () => ({ ...key, ...change }));

const outcome = (token: string, readKey: ReadKey = stored()) =>
  programVerifier(readKey)(token, request, now).then(
    () => "accepted",
    ({ message }) => message,
  );

const invalid = "Invalid token";
const expired = "Token expired";
const lasting = "Token lasts too long: exp is too far in the future";
const early = "Token not valid yet: iat is in the future";
const misdirected = "Token of another request: htm and htu must be its method and path";
const ended = "The program key is revoked or has ended";

describe("programVerifier", () => {
  it("accepts a token that the key's owner signed, and reads the key by user and id", async () => {
    const readKey = stored();
    const bh = "RBNvo1WzZ4oRRq0W9-hknpT7T8If536DEMBg9hyq_4o";
    expect(await programVerifier(readKey)(sign(), request, now)).toMatchObject({ sub: "alice", bh, key });
    expect(readKey).toHaveBeenCalledExactlyOnceWith({ userID: "alice", keyId });
  });

  it.each<[string, TokenForm]>([
    ["by the new name of the algorithm", { header: { alg: "Ed25519" } }],
    ["of a path with the stage", { claims: { htu: `/live${path}` } }],
    ["without a body", { claims: { bh: undefined } }],
    ["of a clock four seconds ahead", { claims: { iat: seconds + 4, exp: seconds + 64 } }],
    ["59 seconds old", { claims: { iat: seconds - 59, exp: seconds + 1 } }],
  ])("accepts a token %s", async (_, form) => {
    expect(await outcome(sign(form))).toBe("accepted");
  });

  it.each<[string, TokenForm, string]>([
    ["61 seconds old", { claims: { iat: seconds - 61, exp: seconds - 1 } }, expired],
    ["that lasts 61 seconds", { claims: { exp: seconds + 61 } }, lasting],
    ["of a clock six seconds ahead", { claims: { iat: seconds + 6, exp: seconds + 66 } }, early],
    ["of another path", { claims: { htu: "/api/v2/wallets" } }, misdirected],
    ["of a path with a query", { claims: { htu: `${path}?a=1` } }, misdirected],
    ["of another method", { claims: { htm: "DELETE" } }, misdirected],
    ["by another key", { by: stranger.privateKey }, invalid],
    ["without a subject", { claims: { sub: undefined } }, invalid],
    ["without a time of issue", { claims: { iat: undefined } }, invalid],
    ["without an expiry", { claims: { exp: undefined } }, invalid],
    ["without an id", { claims: { jti: undefined } }, invalid],
    ["with a short id", { claims: { jti: "0123456789abcde" } }, invalid],
    ["with a long id", { claims: { jti: "a".repeat(65) } }, invalid],
    ["with an id that could leave its place", { claims: { jti: "0123456789#abcdef" } }, invalid],
    ["without a kid", { header: { kid: undefined } }, invalid],
    ["with a kid of another form", { header: { kid: `${keyId}#1` } }, invalid],
    ["of another type", { header: { typ: "at+jwt" } }, invalid],
    ["with a critical header", { header: { crit: ["x"], x: 1 } }, invalid],
    ["whose claims are not encoded", { header: { crit: ["b64"], b64: false } }, invalid],
    ["with a hash of another form", { claims: { bh: "abc" } }, invalid],
    ["that is valid later", { claims: { nbf: seconds + 30 } }, invalid],
  ])("refuses a token %s", async (_, form, reason) => {
    expect(await outcome(sign(form))).toBe(reason);
  });

  it("refuses a token with alg none, or with a hash that the public key makes", async () => {
    const claims = claimsOf(sign());
    expect(await outcome(new UnsecuredJWT(claims).encode())).toBe(invalid);
    expect(await outcome(sign({ header: { alg: "none" } }))).toBe(invalid);
    const hash = new SignJWT(claims).setProtectedHeader({ alg: "HS256", typ: "JWT", kid: keyId });
    expect(await outcome(await hash.sign(Buffer.from(key.publicKey, "base64url")))).toBe(invalid);
  });

  it("refuses a token with changed claims or without a signature", async () => {
    const [header, , signature] = sign().split(".");
    const forged = Buffer.from(JSON.stringify({ ...claimsOf(sign()), sub: "bob" })).toString("base64url");
    expect(await outcome(`${header}.${forged}.${signature}`)).toBe(invalid);
    expect(await outcome(sign().replace(/[^.]+$/, ""))).toBe(invalid);
  });

  it("refuses a key that is unknown, of somebody else, revoked or ended", async () => {
    expect(
      await outcome(
        sign(),
        vi.fn(async () => undefined),
      ),
    ).toBe(invalid);
    expect(await outcome(sign(), stored({ publicKey: stranger.publicKey }))).toBe(invalid);
    expect(await outcome(sign(), stored({ revokedAt: "2026-11-30T08:59:59.000Z" }))).toBe(ended);
    expect(await outcome(sign(), stored({ endsAt: now.toISOString() }))).toBe(ended);
    expect(await outcome(sign(), stored({ endsAt: "never" }))).toBe(ended);
  });

  it("reads no key for a token that is refused anyway", async () => {
    const readKey = stored();
    await outcome(sign({ claims: { iat: seconds - 61, exp: seconds - 1 } }), readKey);
    await outcome(sign({ claims: { htm: "GET" } }), readKey);
    await outcome("a.b.c", readKey);
    expect(readKey).not.toHaveBeenCalled();
  });
});

describe("isOfProgram", () => {
  it("tells tokens of programs from those of an issuer, and from anything else", () => {
    expect(isOfProgram(sign())).toBe(true);
    expect(isOfProgram(sign({ claims: { iss: "https://id.example" } }))).toBe(false);
    for (const other of ["", "garbage", "a.b.c", `a.${Buffer.from("null").toString("base64url")}.c`])
      expect(isOfProgram(other)).toBe(false);
  });
});

const claimsOf = (token: string) =>
  JSON.parse(Buffer.from(token.split(".")[1] as string, "base64url").toString());
