import { exportJWK, exportSPKI, generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from "jose";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { InvalidToken, tokenVerifier } from "../../lib/runtime/token-verifier.ts";

const issuer = "https://issuer.example";
const jwksUri = "https://issuer.example/keys";
const audience = "terminal";
const now = new Date("2026-11-21T09:00:00Z");
const seconds = now.getTime() / 1000;

const pair = await generateKeyPair("ES256", { extractable: true });
const stranger = await generateKeyPair("ES256");
const publicKey = { ...(await exportJWK(pair.publicKey)), kid: "k1", alg: "ES256", use: "sig" };

type Form = {
  claims?: JWTPayload;
  without?: string[];
  header?: { alg: string; kid?: string };
  key?: Parameters<SignJWT["sign"]>[0];
};

const sign = ({
  claims = {},
  without = [],
  header = { alg: "ES256", kid: "k1" },
  key = pair.privateKey,
}: Form = {}) => {
  const payload = { iss: issuer, aud: audience, sub: "alice", exp: seconds + 900, ...claims };
  const kept = Object.entries(payload).filter(([name]) => !without.includes(name));
  return new SignJWT(Object.fromEntries(kept)).setProtectedHeader(header).sign(key);
};

let keys: object[];
const fetched = vi.fn<(url: string) => Promise<Response>>();

beforeEach(() => {
  vi.useFakeTimers({ now, toFake: ["Date"] });
  keys = [publicKey];
  fetched.mockReset().mockImplementation(async () => Response.json({ keys }));
  vi.stubGlobal("fetch", (url: string | URL) => fetched(String(url)));
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const verifier = () => tokenVerifier({ issuer, audience, jwksUri, maxTokenSeconds: 90_000 });
const later = (passed: number) => vi.setSystemTime((seconds + passed) * 1000);
const outcome = (verification: Promise<unknown>) =>
  verification.then(
    () => "accepted",
    ({ message }) => message,
  );

describe("tokenVerifier with a valid token", () => {
  it("accepts a token that the issuer signed for this audience", async () => {
    expect(await verifier()(await sign())).toMatchObject({ sub: "alice" });
  });

  it.each([
    ["for several audiences", { aud: ["other", audience] }, []],
    ["with the audience in Cognito's client_id", { client_id: audience }, ["aud"]],
    ["that expired within the clock tolerance", { exp: seconds - 4 }, []],
    ["that expires in a day and an hour", { exp: seconds + 90_000 }, []],
    ["that expires so late by a clock a second ahead", { exp: seconds + 90_001, iat: seconds + 1 }, []],
    ["that is valid from now, by a clock a second ahead", { nbf: seconds + 1, iat: seconds + 1 }, []],
    ["with a subject of 255 characters", { sub: "a".repeat(255) }, []],
  ])("accepts a token %s", async (_, claims, without) => {
    await expect(verifier()(await sign({ claims, without }))).resolves.toBeDefined();
  });
});

describe("tokenVerifier with an invalid token", async () => {
  const spki = new TextEncoder().encode(await exportSPKI(pair.publicKey));
  const good = await sign();
  const [head, , signature] = good.split(".");
  const forged = Buffer.from(JSON.stringify({ iss: issuer, aud: audience, sub: "bob", exp: seconds + 900 }));

  it.each<[string, string | Promise<string>]>([
    ["that is empty", ""],
    ["that is not a token", "garbage"],
    ["whose parts are not base64url", "a.b.c"],
    ["of two parts", good.split(".").slice(0, 2).join(".")],
    ["with a changed payload", `${head}.${forged.toString("base64url")}.${signature}`],
    ["without a signature", `${good.split(".").slice(0, 2).join(".")}.`],
    [
      "with alg none",
      new UnsecuredJWT({ sub: "alice" })
        .setIssuer(issuer)
        .setAudience(audience)
        .setExpirationTime("1h")
        .encode(),
    ],
    ["with the public key as a symmetric secret", sign({ header: { alg: "HS256", kid: "k1" }, key: spki })],
    ["signed by another key with the same key id", sign({ key: stranger.privateKey })],
    ["with an unknown key id", sign({ header: { alg: "ES256", kid: "k2" } })],
    ["from another issuer", sign({ claims: { iss: "https://other.example" } })],
    ["for another audience", sign({ claims: { aud: "other" } })],
    ["for another client", sign({ claims: { client_id: "other" }, without: ["aud"] })],
    ["without an audience", sign({ without: ["aud"] })],
    ["without an issuer", sign({ without: ["iss"] })],
    ["without an expiry", sign({ without: ["exp"] })],
    ["without a subject", sign({ without: ["sub"] })],
    ["with a number as its subject", sign({ claims: { sub: 42 as unknown as string } })],
    ["with a list as its subject", sign({ claims: { sub: ["alice"] as unknown as string } })],
    ["with an empty subject", sign({ claims: { sub: "" } })],
    ["with a subject beyond ASCII", sign({ claims: { sub: "al\u0456ce" } })],
    ["with a subject of 256 characters", sign({ claims: { sub: "a".repeat(256) } })],
    ["that is not valid yet", sign({ claims: { nbf: seconds + 60 } })],
    ["that has expired and was for another audience", sign({ claims: { exp: seconds - 60, aud: "other" } })],
  ])("refuses a token %s", async (_, token) => {
    const error = await verifier()(await token).catch((error) => error);
    expect(error).toBeInstanceOf(InvalidToken);
    expect(error).toMatchObject({ expired: false, message: "Invalid token" });
  });

  it.each([90_006, 10 * 365 * 86_400, 1e300])(
    "rejects a token that expires in %d s, and gives the reason",
    async (rest) => {
      const error = await verifier()(await sign({ claims: { exp: seconds + rest } })).catch((error) => error);
      expect(error).toMatchObject({
        name: "InvalidToken",
        expired: false,
        message: "Token lasts too long: exp is too far in the future",
      });
    },
  );

  it("gives no reason for refusing a forged token", async () => {
    const token = await sign({ claims: { exp: seconds + 86_400_000 }, key: stranger.privateKey });
    expect(await outcome(verifier()(token))).toBe("Invalid token");
  });

  it("refuses an expired token as expired if it is valid otherwise", async () => {
    const error = await verifier()(await sign({ claims: { exp: seconds - 6 } })).catch((error) => error);
    expect(error).toMatchObject({ name: "InvalidToken", expired: true, message: "Token expired" });
  });
});

describe("tokenVerifier with a verified token", () => {
  it("accepts a verified token without a fetch for ten minutes, and for longer if the issuer still publishes its key", async () => {
    const verify = verifier();
    const token = await sign();
    await verify(token);
    later(600);
    await verify(token);
    expect(fetched).toHaveBeenCalledTimes(1);
    later(601);
    expect(await verify(token)).toMatchObject({ sub: "alice" });
    expect(fetched).toHaveBeenCalledTimes(2);
  });

  it("rejects every token of a withdrawn key after ten minutes", async () => {
    const verify = verifier();
    const [seen, another] = [await sign(), await sign({ claims: { sub: "bob" } })];
    await verify(seen);
    keys = [{ ...publicKey, kid: "k2" }];
    later(600);
    expect(await outcome(verify(seen))).toBe("accepted");
    later(601);
    expect(await outcome(verify(seen))).toBe("Invalid token");
    expect(await outcome(verify(another))).toBe("Invalid token");
  });

  it("rejects a token at once if a fetch for another token shows that its key was withdrawn", async () => {
    const verify = verifier();
    const seen = await sign();
    await verify(seen);
    keys = [{ ...publicKey, kid: "k2" }];
    await verify(await sign({ header: { alg: "ES256", kid: "k2" } }));
    expect(await outcome(verify(seen))).toBe("Invalid token");
  });

  it("refuses a verified token once it has expired", async () => {
    const verify = verifier();
    const token = await sign({ claims: { exp: seconds + 10 } });
    await verify(token);
    vi.setSystemTime(seconds * 1000 + 16_000);
    await expect(verify(token)).rejects.toMatchObject({ expired: true });
  });
});

describe("tokenVerifier without the issuer's keys", () => {
  it("reports an unavailable issuer, not an invalid token", async () => {
    fetched.mockImplementation(async () => new Response("", { status: 503 }));
    const error = await verifier()(await sign()).catch((error) => error);
    expect(error).toMatchObject({ name: "IssuerUnavailable" });
    expect(error).not.toBeInstanceOf(InvalidToken);
  });

  it("accepts tokens that it has verified before for six hours", async () => {
    const verify = verifier();
    const token = await sign({ claims: { exp: seconds + 86_400 } });
    await verify(token);
    fetched.mockImplementation(() => Promise.reject(new TypeError("fetch failed")));
    for (const passed of [800, 3600, 21_600]) {
      later(passed);
      expect(await verify(token)).toMatchObject({ sub: "alice" });
    }
    later(21_611);
    await expect(verify(token)).rejects.toMatchObject({ name: "IssuerUnavailable" });
  });
});
