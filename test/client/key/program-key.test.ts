import { generateKeyPairSync } from "node:crypto";
import type { TerminalOptions } from "trading-terminal-client";
import { createTerminal, makeProgramKey, type ProgramKey } from "trading-terminal-client/key";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { Clock } from "../../../lib/client/clock.ts";
import { envelope, refusal, type Scripted, scripted } from "../support/fake-service.ts";
import { hashOfBody, publicKeyOf, readProgramToken } from "../support/program-token.ts";
import { silent } from "../support/silent-service.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

const { settled } = VirtualClock;

/** Lets virtual time wait for WebCrypto, which works outside this thread. */
beforeAll(() => {
  const working = new Set<Promise<unknown>>();
  const { subtle } = crypto;
  for (const name of ["sign", "digest", "importKey"] as const) {
    const real = subtle[name].bind(subtle) as (...parts: unknown[]) => Promise<never>;
    vi.spyOn(subtle, name).mockImplementation((...parts: unknown[]) => {
      const work = real(...parts);
      working.add(work);
      work.catch(() => {}).finally(() => working.delete(work));
      return work;
    });
  }
  VirtualClock.settled = async () => {
    do {
      await Promise.allSettled(working);
      await settled();
    } while (working.size > 0);
  };
});
afterAll(() => {
  VirtualClock.settled = settled;
});

const { publicKey, privateKey } = await makeProgramKey();
const key = { userID: "alice", keyId: "pk_0123456789abcdefghij", privateKey };
const by = (own: ProgramKey) => (options: TerminalOptions, clock?: Clock) =>
  createTerminal({ ...options, key: own }, clock);
const keyed = (answers: readonly Scripted[], options: Partial<TerminalOptions> = {}) =>
  scripted(answers, options, by(key));
const read = (header: string | undefined) =>
  readProgramToken(header?.replace(/^Bearer /, "") ?? "", publicKeyOf(publicKey));

const order = {
  type: "market",
  chain: "eth",
  side: "buy",
  wallet: "0x1",
  token: "0x2",
  amount: "1",
} as const;
const unauthorized = (error: string, more: object = {}) => ({ status: 401, body: { error, ...more } });
const ended = unauthorized("The program key is revoked or has ended");
const late = unauthorized("Token expired", { needsRefresh: true });

describe("a terminal with a program's key", () => {
  it("signs the method, the path without the query, and the body of each request", async () => {
    const { terminal, sent, inits, clock, end } = keyed([envelope({})]);
    await end(terminal.listOrders({ query: { chain: "eth" } }));
    await end(terminal.cancelOrder({ path: { orderId: "a b" } }));
    await end(terminal.placeOrder({ body: { ...order, amount: "1.5" } }));
    const tokens = sent.map(({ headers }) => read(headers.Authorization));
    const seconds = clock.dateMs() / 1000;
    for (const token of tokens) {
      expect(token?.header).toEqual({ alg: "EdDSA", typ: "JWT", kid: key.keyId });
      expect(token?.claims).toMatchObject({ sub: "alice", jti: expect.stringMatching(/^[\w-]{16,64}$/) });
      expect(token?.claims.exp).toBe((token?.claims.iat ?? 0) + 60);
      expect(token?.claims.iat).toBeLessThanOrEqual(seconds - 20);
      expect(token?.claims.exp).toBeGreaterThanOrEqual(seconds + 20);
    }
    expect(tokens.map((token) => [token?.claims.htm, token?.claims.htu, token?.claims.bh])).toEqual([
      ["GET", "/api/v2/orders", undefined],
      ["POST", "/api/v2/orders/a%20b/cancel", hashOfBody("{}")],
      ["POST", "/api/v2/orders", hashOfBody(String(inits[2]?.body))],
    ]);
  });

  it("signs a token of its own for each try, with the same idempotency key", async () => {
    const { terminal, sent, end } = keyed(["broken", { status: 503, text: "" }, envelope({ order: {} })]);
    await end(terminal.placeOrder({ body: order }));
    const ids = sent.map(({ headers }) => read(headers.Authorization)?.claims.jti);
    expect(new Set(ids).size).toBe(3);
    expect(new Set(sent.map(({ headers }) => headers["Idempotency-Key"])).size).toBe(1);
  });

  it("repeats a request that a proxy has sent twice, since the first answer is lost", async () => {
    const used = unauthorized("Token used before: each request that writes needs a jti of its own");
    const { terminal, sent, end } = keyed([used, envelope({ order: { orderId: "1" } })]);
    expect((await end(terminal.placeOrder({ body: order }))).data).toEqual({ order: { orderId: "1" } });
    expect(new Set(sent.map(({ headers }) => headers["Idempotency-Key"])).size).toBe(1);
  });

  it("takes PEM, base64, base64url and a key of WebCrypto that cannot be read", async () => {
    const pem = generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }).toString();
    const base64 = pem.split("\n")[1] ?? "";
    const pair = await crypto.subtle.generateKey("Ed25519", false, ["sign", "verify"]);
    if (!("privateKey" in pair)) throw new Error("It is a pair");
    const url = base64.replaceAll("+", "-").replaceAll("/", "_");
    for (const privateKey of [pem, base64, url, pair.privateKey]) {
      const { terminal, end } = scripted([envelope({ orders: [] })], {}, by({ ...key, privateKey }));
      expect((await end(terminal.listOrders())).error).toBeUndefined();
    }
  });

  it.each([
    ["text that is no key", "secret"],
    [
      "a key of another kind",
      generateKeyPairSync("x25519").privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    ],
  ])("sends nothing and says what it needs if it is given %s", async (_, privateKey) => {
    const { terminal, sent, end, clock } = scripted([envelope({})], {}, by({ ...key, privateKey }));
    const { error } = await end(terminal.listOrders());
    expect(error).toMatchObject({ status: 0, code: "TOKEN_ERROR" });
    expect(`${error?.code === "TOKEN_ERROR" && error.cause}`).toContain("PKCS#8 of an Ed25519 key");
    expect([sent.length, clock.nowMs()]).toEqual([0, 0]);
  });

  it("names a part of the key that is missing", () => {
    for (const part of ["userID", "keyId", "privateKey"])
      expect(() => createTerminal({ baseUrl: "http://a", key: { ...key, [part]: undefined } })).toThrow(part);
  });
});

describe("a key that is refused", () => {
  it("ends the call at once with the service's reason", async () => {
    for (const refused of [ended, unauthorized("Invalid token"), unauthorized("This user is blocked")]) {
      const { terminal, sent, end } = keyed([refused]);
      const { error } = await end(terminal.listOrders());
      expect(error).toMatchObject({ status: 401, code: "KEY_REFUSED", message: refused.body.error });
      expect(sent).toHaveLength(1);
    }
  });

  it.each([
    ["75 s behind", late, "2026-11-21T09:31:15Z"],
    ["120 s ahead", unauthorized("Token not valid yet: iat is in the future"), "2026-11-21T09:28:00Z"],
    ["wrong", late, undefined],
  ])("says that the clock is %s", async (words, answer, time) => {
    const headers = time === undefined ? {} : { Date: new Date(time).toUTCString() };
    const { terminal, sent, end } = keyed([{ ...answer, headers }]);
    const { error } = await end(terminal.listOrders());
    expect(error).toMatchObject({ status: 401, code: "CLOCK_WRONG" });
    expect(error?.message).toContain(`clock is ${words}`);
    expect(sent).toHaveLength(1);
  });
});

/** Opens a stream by a key. REST requests get the answer. */
const following = (answer: () => Response, own: ProgramKey = key) =>
  silent({}, { fetch: async () => answer() }, by(own));

describe("a stream of a program's key", () => {
  it("signs a token of its own for each connection", async () => {
    const { socket, sockets, clock } = await following(() => Response.json({}));
    socket().emit("open");
    socket().emit("close");
    await clock.advance(2000);
    const tokens = sockets.map(({ protocols: [, token] }) => read(token));
    expect(tokens).toHaveLength(2);
    for (const token of tokens) expect(token?.claims).toMatchObject({ htm: "GET", htu: "/stream" });
    expect(tokens[0]?.claims.jti).not.toBe(tokens[1]?.claims.jti);
  });

  it.each([
    [ended, "KEY_REFUSED"],
    [late, "CLOCK_WRONG"],
    [refusal(403, "SCOPE_MISSING"), "SCOPE_MISSING"],
  ])("closes and says why when the service refuses %j", async ({ status, body }, code) => {
    const answer = () => Response.json(body, { status });
    const { socket, sockets, statuses, stream, clock } = await following(answer);
    const waiting = stream.until(() => false);
    waiting.catch(() => {});
    socket().emit("close");
    await clock.advance(0);
    expect(statuses.at(-1)).toMatchObject({ status: "closed", error: { code } });
    await expect(waiting).rejects.toMatchObject({ cause: { code } });
    await clock.advance(600_000);
    expect(sockets).toHaveLength(1);
    expect(clock.timers()).toBe(0);
  });

  it("closes if it cannot sign", async () => {
    const { statuses, sockets } = await following(() => Response.json({}), { ...key, privateKey: "secret" });
    await expect
      .poll(() => statuses.at(-1))
      .toMatchObject({ status: "closed", error: { code: "TOKEN_ERROR" } });
    expect(sockets).toEqual([]);
  });

  it("reconnects with growing pauses while the service is away or refuses for another reason", async () => {
    const { socket, sockets, statuses, clock } = await following(
      () => new Response("<html>", { status: 502 }),
    );
    const waits: number[] = [];
    for (let times = 0; times < 5; times++) {
      socket().emit("close");
      await clock.advance(0);
      const last = statuses.at(-1);
      if (last?.status !== "waiting") throw new Error(`It is ${last?.status}`);
      expect(last.code).toBe("REFUSED");
      waits.push(last.retryInMs);
      await clock.advance(last.retryInMs);
    }
    expect(sockets).toHaveLength(6);
    expect(waits).toEqual([1000, 2000, 4000, 8000, 15_000]);
  });
});
