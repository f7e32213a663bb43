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

const verifier = (options: Partial<Parameters<typeof tokenVerifier>[0]> = {}) =>
  tokenVerifier({ issuer, audience, jwksUri, ...options });

describe("a token is accepted", () => {
  it("when the issuer signed it for this audience", async () => {
    expect(await verifier()(await sign())).toMatchObject({ sub: "alice" });
  });

  it.each([
    ["among several audiences", { aud: ["other", audience] }, []],
    ["by Cognito's client_id", { client_id: audience }, ["aud"]],
    ["within the clocks' tolerance after it expired", { exp: seconds - 4 }, []],
    ["with a subject of 255 characters", { sub: "a".repeat(255) }, []],
  ])("%s", async (_, claims, without) => {
    await expect(verifier()(await sign({ claims, without }))).resolves.toBeDefined();
  });
});

describe("a token is refused", async () => {
  const spki = new TextEncoder().encode(await exportSPKI(pair.publicKey));
  const good = await sign();
  const [head, , signature] = good.split(".");
  const forged = Buffer.from(JSON.stringify({ iss: issuer, aud: audience, sub: "bob", exp: seconds + 900 }));

  it.each<[string, string | Promise<string>]>([
    ["when it is empty", ""],
    ["when it is no token", "garbage"],
    ["when its parts are no base64url", "a.b.c"],
    ["when it has two parts", good.split(".").slice(0, 2).join(".")],
    ["when its payload was changed", `${head}.${forged.toString("base64url")}.${signature}`],
    ["when its signature was cut off", `${good.split(".").slice(0, 2).join(".")}.`],
    [
      "with alg none",
      new UnsecuredJWT({ sub: "alice" })
        .setIssuer(issuer)
        .setAudience(audience)
        .setExpirationTime("1h")
        .encode(),
    ],
    ["with the public key as a symmetric secret", sign({ header: { alg: "HS256", kid: "k1" }, key: spki })],
    ["from another's key under the same key id", sign({ key: stranger.privateKey })],
    ["with an unknown key id", sign({ header: { alg: "ES256", kid: "k2" } })],
    ["from another issuer", sign({ claims: { iss: "https://other.example" } })],
    ["for another audience", sign({ claims: { aud: "other" } })],
    ["for another client", sign({ claims: { client_id: "other" }, without: ["aud"] })],
    ["without an audience", sign({ without: ["aud"] })],
    ["without an issuer", sign({ without: ["iss"] })],
    ["without an end", sign({ without: ["exp"] })],
    ["without a subject", sign({ without: ["sub"] })],
    ["with a number as its subject", sign({ claims: { sub: 42 as unknown as string } })],
    ["with a list as its subject", sign({ claims: { sub: ["alice"] as unknown as string } })],
    ["with an empty subject", sign({ claims: { sub: "" } })],
    ["with a subject beyond ASCII", sign({ claims: { sub: "al\u0456ce" } })],
    ["with a subject of 256 characters", sign({ claims: { sub: "a".repeat(256) } })],
    ["before its time", sign({ claims: { nbf: seconds + 60 } })],
    [
      "when it has expired, but was for another audience",
      sign({ claims: { exp: seconds - 60, aud: "other" } }),
    ],
  ])("%s", async (_, token) => {
    const error = await verifier()(await token).catch((error) => error);
    expect(error).toBeInstanceOf(InvalidToken);
    expect(error).toMatchObject({ expired: false, message: "Invalid token" });
  });

  it("as expired when it was good until then", async () => {
    const error = await verifier()(await sign({ claims: { exp: seconds - 6 } })).catch((error) => error);
    expect(error).toMatchObject({ name: "InvalidToken", expired: true, message: "Token expired" });
  });
});

describe("a verified token", () => {
  it("is remembered, so that its keys are not asked for again", async () => {
    const verify = verifier();
    const token = await sign();
    await verify(token);
    keys = [];
    vi.setSystemTime(seconds * 1000 + 800_000);
    expect(await verify(token)).toMatchObject({ sub: "alice" });
    expect(fetched).toHaveBeenCalledTimes(1);
  });

  it("is forgotten when it expires", async () => {
    const verify = verifier();
    const token = await sign({ claims: { exp: seconds + 10 } });
    await verify(token);
    vi.setSystemTime(seconds * 1000 + 16_000);
    await expect(verify(token)).rejects.toMatchObject({ expired: true });
  });
});

describe("the issuer's keys", () => {
  it("are fetched again for an unknown key id, at most once a minute", async () => {
    const verify = verifier();
    await verify(await sign());
    const rotated = await generateKeyPair("ES256", { extractable: true });
    keys = [publicKey, { ...(await exportJWK(rotated.publicKey)), kid: "k2", alg: "ES256" }];
    const token = await sign({ header: { alg: "ES256", kid: "k2" }, key: rotated.privateKey });

    vi.setSystemTime(seconds * 1000 + 59_000);
    await expect(verify(token)).rejects.toBeInstanceOf(InvalidToken);
    expect(fetched).toHaveBeenCalledTimes(1);

    vi.setSystemTime(seconds * 1000 + 60_001);
    expect(await verify(token)).toMatchObject({ sub: "alice" });
    expect(fetched).toHaveBeenCalledTimes(2);
  });

  it("are found by discovery when their address is not given, once", async () => {
    const discovery = Response.json({ issuer, jwks_uri: jwksUri });
    fetched.mockImplementationOnce(async () => discovery);
    const verify = verifier({ jwksUri: "" });
    await verify(await sign());
    await verify(await sign({ claims: { sub: "bob" } }));
    expect(fetched.mock.calls).toEqual([[`${issuer}/.well-known/openid-configuration`], [jwksUri]]);
  });

  it.each<[string, () => Promise<Response>]>([
    ["cannot be reached", () => Promise.reject(new TypeError("fetch failed"))],
    ["are answered with 503", async () => new Response("", { status: 503 })],
    ["are no JSON", async () => new Response("<html>")],
    ["are no key set", async () => Response.json({ nothing: true })],
  ])("are at fault, not the token, when they %s", async (_, answer) => {
    fetched.mockImplementation(answer);
    const error = await verifier()(await sign()).catch((error) => error);
    expect(error).toBeInstanceOf(Error);
    expect(error).not.toBeInstanceOf(InvalidToken);
  });

  it("are not taken from a discovery document of another issuer", async () => {
    fetched.mockImplementation(async () =>
      Response.json({ issuer: "https://other.example", jwks_uri: jwksUri }),
    );
    await expect(verifier({ jwksUri: "" })(await sign())).rejects.toThrow("another issuer");
  });

  it("are tried again after a failure", async () => {
    const verify = verifier({ jwksUri: "" });
    fetched.mockImplementationOnce(() => Promise.reject(new TypeError("fetch failed")));
    await expect(verify(await sign())).rejects.toThrow("fetch failed");
    fetched.mockImplementationOnce(async () => Response.json({ issuer, jwks_uri: jwksUri }));
    expect(await verify(await sign())).toMatchObject({ sub: "alice" });
  });
});
