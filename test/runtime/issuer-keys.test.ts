import { errors, exportJWK, generateKeyPair, jwtVerify, SignJWT } from "jose";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { IssuerUnavailable, issuerKeys } from "../../lib/runtime/issuer-keys.ts";

const issuer = "https://issuer.example";
const jwksUri = "https://issuer.example/keys";
const start = Date.parse("2026-11-21T09:00:00Z");
const pauseMs = 10_000;
const minutes = (count: number) => count * 60_000;
const hours = (count: number) => minutes(count * 60);

const pair = await generateKeyPair("ES256", { extractable: true });
const publicKey = { ...(await exportJWK(pair.publicKey)), kid: "k1", alg: "ES256", use: "sig" };
const rotated = await generateKeyPair("ES256", { extractable: true });
const rotatedKey = { ...(await exportJWK(rotated.publicKey)), kid: "k2", alg: "ES256", use: "sig" };

const sign = (kid: string, { privateKey } = pair) =>
  new SignJWT({ iss: issuer }).setProtectedHeader({ alg: "ES256", kid }).sign(privateKey);

const good = await sign("k1");
const afterRotation = await sign("k2", rotated);

let published: object[];
const fetched = vi.fn<(url: string) => Promise<Response>>();
const onOutage = vi.fn();

beforeEach(() => {
  vi.useFakeTimers({ now: start, toFake: ["Date"] });
  published = [publicKey];
  fetched.mockReset().mockImplementation(async () => Response.json({ keys: published }));
  onOutage.mockReset();
  vi.stubGlobal("fetch", (url: string | URL) => fetched(String(url)));
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Returns whether a token verifies with the issuer's keys, or the error's name. */
function opened(uri = jwksUri) {
  const keys = issuerKeys(issuer, uri, onOutage);
  return async (token: string): Promise<string> => {
    try {
      await jwtVerify(token, keys.find);
      return "verified";
    } catch (error) {
      if (error instanceof IssuerUnavailable) return error.name;
      if (error instanceof errors.JOSEError) return error.code;
      throw error;
    }
  };
}

const wait = (ms: number) => vi.setSystemTime(Date.now() + ms);
const issuerIsDown = () => fetched.mockImplementation(async () => new Response("", { status: 503 }));
const unknownKey = "ERR_JWKS_NO_MATCHING_KEY";

describe("issuerKeys", () => {
  it("fetches the keys once every ten minutes", async () => {
    const verify = opened();
    for (let second = 0; second <= 600; second += 60) {
      vi.setSystemTime(start + second * 1000);
      expect(await verify(good)).toBe("verified");
    }
    expect(fetched).toHaveBeenCalledTimes(1);
    wait(1);
    await verify(good);
    expect(fetched).toHaveBeenCalledTimes(2);
  });

  it("fetches the keys again if the clock was set back", async () => {
    const verify = opened();
    await verify(good);
    wait(-1);
    await verify(good);
    expect(fetched).toHaveBeenCalledTimes(2);
  });

  it("accepts the first token after a rotation with a single extra fetch", async () => {
    const verify = opened();
    await verify(good);
    published = [publicKey, rotatedKey];
    expect(await verify(afterRotation)).toBe("verified");
    expect(fetched).toHaveBeenCalledTimes(2);
  });

  it("after a fetch, waits five seconds before it fetches again for an unknown key id", async () => {
    const verify = opened();
    expect(await verify(await sign("invented"))).toBe(unknownKey);
    expect(fetched).toHaveBeenCalledTimes(2);
    published = [publicKey, rotatedKey];
    wait(4_999);
    expect(await verify(afterRotation)).toBe(unknownKey);
    expect(fetched).toHaveBeenCalledTimes(2);
    wait(1);
    expect(await verify(afterRotation)).toBe("verified");
  });

  it("fetches at most six times a minute for unknown key ids, and verifies other tokens in the meantime", async () => {
    const verify = opened();
    await verify(good);
    fetched.mockClear();
    const invented = await sign("invented");
    const asked = async () => {
      for (let turn = 0; turn < 20; turn++) await verify(invented);
    };
    const counts: number[] = [];
    for (let second = 0; second < 120; second++) {
      vi.setSystemTime(start + second * 1000);
      await asked();
      counts.push(fetched.mock.calls.length);
    }
    expect([counts[0], counts[4], counts[5], counts[25], counts[59], counts[60], counts[119]]).toEqual([
      1, 1, 2, 6, 6, 7, 12,
    ]);
    let answer = (_: Response) => {};
    fetched.mockImplementation(() => new Promise((resolve) => (answer = resolve)));
    vi.setSystemTime(start + 120_000);
    const waiting = verify(invented);
    await vi.waitFor(() => expect(fetched).toHaveBeenCalledTimes(13));
    expect(await verify(good)).toBe("verified");
    answer(Response.json({ keys: published }));
    expect(await waiting).toBe(unknownKey);
  });

  it.each([
    ["of another issuer", "https://other.example"],
    ["without an issuer", undefined],
  ])("fetches nothing for an unknown key id in a token %s", async (_, iss) => {
    const verify = opened();
    await verify(good);
    const token = await new SignJWT({ ...(iss !== undefined && { iss }) })
      .setProtectedHeader({ alg: "ES256", kid: "invented" })
      .sign(pair.privateKey);
    expect(await verify(token)).toBe(unknownKey);
    expect(fetched).toHaveBeenCalledTimes(1);
  });

  it("discovers the address of the keys once, if the address is not configured", async () => {
    fetched.mockImplementationOnce(async () => Response.json({ issuer, jwks_uri: jwksUri }));
    const verify = opened("");
    await verify(good);
    await verify(good);
    expect(fetched.mock.calls).toEqual([[`${issuer}/.well-known/openid-configuration`], [jwksUri]]);
  });

  it.each<[string, string, () => Promise<Response>]>([
    ["they cannot be reached", jwksUri, () => Promise.reject(new TypeError("fetch failed"))],
    ["they get a 503", jwksUri, async () => new Response("", { status: 503 })],
    ["they are not JSON", jwksUri, async () => new Response("<html>")],
    ["they are not a key set", jwksUri, async () => Response.json({ nothing: true })],
    ["discovery fails", "", () => Promise.reject(new TypeError("fetch failed"))],
    ["discovery finds another issuer", "", async () => Response.json({ issuer: "other", jwks_uri: jwksUri })],
  ])("throws, and fetches the keys again after ten seconds, if %s", async (_, uri, answer) => {
    fetched.mockImplementation(answer);
    const verify = opened(uri);
    expect(await verify(good)).toBe("IssuerUnavailable");
    fetched.mockImplementation(async (url) =>
      Response.json(url === jwksUri ? { keys: published } : { issuer, jwks_uri: jwksUri }),
    );
    wait(9_999);
    expect(await verify(good)).toBe("IssuerUnavailable");
    wait(1);
    expect(await verify(good)).toBe("verified");
  });

  it.each<[string, string, number]>([
    ["the keys", jwksUri, 2],
    ["the discovery", "", 3],
  ])("repeats a failed fetch of %s at once", async (_, uri, requests) => {
    fetched.mockImplementation(async (url) =>
      Response.json(url === jwksUri ? { keys: published } : { issuer, jwks_uri: jwksUri }),
    );
    fetched.mockRejectedValueOnce(new TypeError("fetch failed"));
    expect(await opened(uri)(good)).toBe("verified");
    expect(fetched).toHaveBeenCalledTimes(requests);
  });

  it("repeats no fetch that took longer than three seconds, to leave time for the response", async () => {
    fetched.mockImplementationOnce(async () => {
      wait(3001);
      throw new TypeError("fetch failed");
    });
    expect(await opened()(good)).toBe("IssuerUnavailable");
    expect(fetched).toHaveBeenCalledTimes(1);
  });

  it("fetches at most twice in ten seconds of an outage, however many tokens arrive", async () => {
    issuerIsDown();
    const verify = opened();
    for (let second = 0; second < 60; second++) {
      vi.setSystemTime(start + second * 1000);
      expect(await verify(await sign(`invented ${second}`))).toBe("IssuerUnavailable");
    }
    expect(fetched).toHaveBeenCalledTimes(12);
  });
});

describe("issuerKeys during an outage of the issuer", () => {
  it("uses the last good keys for six hours", async () => {
    const verify = opened();
    await verify(good);
    issuerIsDown();
    for (const passed of [minutes(10) + 1, hours(1), hours(6)]) {
      vi.setSystemTime(start + passed);
      expect(await verify(good)).toBe("verified");
    }
    vi.setSystemTime(start + hours(6) + pauseMs);
    expect(await verify(good)).toBe("IssuerUnavailable");
  });

  it("reports each failed fetch with its cause", async () => {
    const verify = opened();
    await verify(good);
    fetched.mockImplementation(() => Promise.reject(new TypeError("fetch failed")));
    wait(minutes(11));
    for (let call = 0; call < 3; call++) await verify(good);
    expect(onOutage).toHaveBeenCalledExactlyOnceWith(expect.any(IssuerUnavailable));
    expect(onOutage.mock.lastCall?.[0]).toMatchObject({ cause: expect.any(TypeError) });
  });

  it("refuses a forged token with a known key id, without a fetch", async () => {
    const verify = opened();
    await verify(good);
    issuerIsDown();
    wait(minutes(5));
    expect(await verify(await sign("k1", rotated))).toBe("ERR_JWS_SIGNATURE_VERIFICATION_FAILED");
    expect(fetched).toHaveBeenCalledTimes(1);
  });

  it("reports an unavailable issuer for a key id that is not among the last good keys", async () => {
    const verify = opened();
    await verify(good);
    issuerIsDown();
    wait(minutes(2));
    expect(await verify(afterRotation)).toBe("IssuerUnavailable");
    expect(await verify(afterRotation)).toBe("IssuerUnavailable");
    expect(await verify(good)).toBe("verified");
    expect(fetched).toHaveBeenCalledTimes(3);
  });

  it("uses new keys as soon as a fetch succeeds", async () => {
    const verify = opened();
    await verify(good);
    issuerIsDown();
    wait(hours(2));
    expect(await verify(good)).toBe("verified");
    published = [rotatedKey];
    fetched.mockImplementation(async () => Response.json({ keys: published }));
    wait(pauseMs);
    expect(await verify(afterRotation)).toBe("verified");
    expect(await verify(good)).toBe(unknownKey);
  });
});
