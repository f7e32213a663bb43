import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { connectionTokens, requestTokens } from "../../lib/runtime/request-token.ts";
import { InvalidToken, tokenVerifier } from "../../lib/runtime/token-verifier.ts";
import { badCredentials, goodCredentials, noCredentials, type SentHeaders } from "../cases/credentials.ts";
import { badHandshakes, goodHandshakes, goodSubprotocols, type Handshake } from "../cases/handshakes.ts";
import { badClaims, forgeries, goodClaims, goodSubjects } from "../cases/tokens.ts";
import { authorizerEvent, type Headers } from "../support/events.ts";

const iss = "https://issuer.example.com";
const aud = "trading-terminal";
const now = new Date("2026-11-21T09:00:00Z");
const nowSeconds = now.getTime() / 1000;

const pair = await generateKeyPair("ES256", { extractable: true });
const published = { ...(await exportJWK(pair.publicKey)), kid: "k1", alg: "ES256", use: "sig" };

/** Signs a token of the issuer. An undefined claim is removed. */
const sign = (change: object = {}) => {
  const claims = { iss, aud, sub: "alice", iat: nowSeconds, exp: nowSeconds + 900, ...change };
  const payload = Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== undefined));
  return new SignJWT(payload)
    .setProtectedHeader({ alg: "ES256", kid: "k1", typ: "JWT" })
    .sign(pair.privateKey);
};

const good = await sign();

const verifier = () =>
  tokenVerifier({ issuer: iss, audience: aud, jwksUri: `${iss}/keys`, maxTokenSeconds: 90_000 });

/** Decides whether a request with this token is accepted, like the authorizers. */
async function verdictOn(...tokens: string[]): Promise<"good" | "none" | "invalid" | "expired"> {
  const verdicts = await Promise.all(tokens.map(verdictOnOne));
  return verdicts.find((verdict) => verdict === "good") ?? verdicts[0] ?? "none";
}

async function verdictOnOne(token: string): Promise<"good" | "invalid" | "expired"> {
  try {
    await verifier()(token);
    return "good";
  } catch (error) {
    if (!(error instanceof InvalidToken)) throw error;
    return error.expired ? "expired" : "invalid";
  }
}

/** Merges headers with the same name, in any case, into one header with several values. */
function received(headers: SentHeaders): Headers {
  const values = new Map<string, string[]>();
  for (const [name, value] of headers) values.set(name, [...(values.get(name) ?? []), value]);
  return Object.fromEntries(values);
}

const cookies = { cookieName: "access_token", bareCookie: false };

const onConnect = ({ token, headers = {}, subprotocols }: Handshake) =>
  connectionTokens(
    authorizerEvent({
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      ...headers,
      ...(subprotocols && { "Sec-WebSocket-Protocol": subprotocols.join(", ") }),
    }),
    { ...cookies, allowedOrigins: ["https://app.example"] },
  );

beforeEach(() => {
  vi.useFakeTimers({ now, toFake: ["Date"] });
  vi.stubGlobal("fetch", async () => Response.json({ keys: [published] }));
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe("a token", () => {
  it.each(forgeries)("refuses a forged token with $title", async ({ value: forge }) => {
    expect(await verdictOn(await forge(good, published))).toBe("invalid");
  });

  it.each(badClaims)(
    "refuses a token $title, without asking the client to refresh it",
    async ({ value: change }) => {
      expect(await verdictOn(await sign(change({ iss, aud, nowSeconds })))).toBe("invalid");
    },
  );

  it.each(goodClaims)("accepts a token $title", async ({ value: change }) => {
    expect(await verdictOn(await sign(change({ iss, aud, nowSeconds })))).toBe("good");
  });

  it.each(goodSubjects)("accepts a token for a subject like $title", async ({ value: sub }) => {
    expect(await verifier()(await sign({ sub }))).toMatchObject({ sub });
  });
});

describe("a request", () => {
  const verdict = (headers: SentHeaders) =>
    verdictOn(...requestTokens(authorizerEvent(received(headers)), cookies));

  it.each(noCredentials)("finds no token in a request with $title", async ({ value: headersWith }) => {
    expect(await verdict(headersWith(good))).toBe("none");
  });

  it.each(badCredentials)("refuses a request with $title", async ({ value: headersWith }) => {
    expect(await verdict(headersWith(good))).toBe("invalid");
  });

  it.each(goodCredentials)("accepts a request with $title", async ({ value: headersWith }) => {
    expect(await verdict(headersWith(good))).toBe("good");
  });
});

describe("a connection", () => {
  it.each([...goodHandshakes, ...goodSubprotocols])("accepts a connection with $title", async ({ value }) => {
    expect(await verdictOn(...onConnect(value(good)))).toBe("good");
  });

  it.each(badHandshakes)("refuses a connection with $title", async ({ value }) => {
    expect(["none", "invalid"]).toContain(await verdictOn(...onConnect(value(good))));
  });

  it.each(forgeries)(
    "refuses a token with $title, wherever a connection sends it",
    async ({ value: forge }) => {
      const token = await forge(good, published);
      const handshakes: Handshake[] = [
        { token },
        { headers: { Cookie: `__Host-access_token=${token}` } },
        { subprotocols: ["access_token", token] },
      ];
      for (const handshake of handshakes) expect(await verdictOn(...onConnect(handshake))).toBe("invalid");
    },
  );
});
