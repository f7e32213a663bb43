import { createTerminal } from "trading-terminal-client";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { envelope, scripted } from "./support/fake-service.ts";

const answered = envelope({ orders: [] });
const expired = { status: 401, body: { error: "Token expired", needsRefresh: true } };
/** A name that exists only for the compiler. */
declare const sesion: unknown;
const blocked = { status: 401, body: { error: "This user is blocked" } };

function provider() {
  const asked: boolean[] = [];
  const token = async ({ refresh }: { refresh: boolean }) => `token ${asked.push(refresh)}`;
  return { asked, token };
}

describe("a mistake in the caller's code", () => {
  it("throws at once when the terminal is given a token as text", () => {
    const token = "eyJ" as never;
    expect(() => createTerminal({ baseUrl: "http://service", token })).toThrow("token must be a function");
  });

  it.each<[string, () => unknown]>([
    ["misspells a name", () => sesion],
    ["calls what is no function", () => (({}) as { read(): string }).read()],
    ["reads a property of undefined", () => (undefined as unknown as { token: string }).token],
    ["returns undefined", () => undefined],
    ["returns an empty text", () => ""],
    ["returns an object", () => ({ access_token: "t" })],
    ["returns text that no header can carry", () => "a\nb"],
  ])("ends a call at once and sends nothing if the provider %s", async (_, provide) => {
    const { terminal, sent, end, clock } = scripted([answered], { token: (async () => provide()) as never });
    const { error } = await end(terminal.listOrders());
    expect(error).toMatchObject({ status: 0, code: "TOKEN_ERROR", cause: expect.any(Error) });
    expect([sent.length, clock.nowMs()]).toEqual([0, 0]);
  });

  it.each([
    new TypeError("fetch failed"),
    new TypeError("Failed to fetch"),
    new TypeError("Load failed"),
    new TypeError("NetworkError when attempting to fetch resource."),
    new SyntaxError("Unexpected token '<'"),
    new Error("The issuer answers 503"),
  ])("calls the token provider again after a network failure: %s", async (failure) => {
    let failures = 1;
    const token = async () => {
      if (failures-- > 0) throw failure;
      return "t";
    };
    const { terminal, end } = scripted([answered], { token });
    expect(await end(terminal.listOrders())).toMatchObject({ data: { orders: [] } });
  });
});

describe("the token provider", () => {
  it("calls the token provider once for all waiting requests, and again when the token has expired", async () => {
    const { asked, token } = provider();
    const { terminal, sent, end } = scripted([expired, expired, answered], { token });
    const both = Promise.all([terminal.listOrders(), terminal.listPositions()]);
    expect((await end(both)).map(({ error }) => error)).toEqual([undefined, undefined]);
    await end(terminal.listOrders());
    expect(asked).toEqual([false, true]);
    expect(sent.map(({ headers }) => headers.Authorization)).toEqual([
      ...["Bearer token 1", "Bearer token 1", "Bearer token 2", "Bearer token 2", "Bearer token 2"],
    ]);
  });

  it("calls the provider only once more if the new token has also expired, and never after other refusals", async () => {
    const { asked, token } = provider();
    const old = scripted([expired], { token });
    expect(await old.end(old.terminal.listOrders())).toMatchObject({ error: { needsRefresh: true } });
    const refused = scripted([blocked], { token });
    expect(await refused.end(refused.terminal.listOrders())).toMatchObject({ error: { status: 401 } });
    expect(asked).toEqual([false, true, false]);
  });

  it("retries a token provider that fails for a while", async () => {
    let failures = 2;
    const token = async () => {
      if (failures-- > 0) throw new Error("The issuer is down");
      return "good";
    };
    const { terminal, sent, end } = scripted([answered], { token });
    expect(await end(terminal.listOrders())).toMatchObject({ data: {} });
    failures = Number.POSITIVE_INFINITY;
    const down = scripted([answered], { token });
    expect(await down.end(down.terminal.listOrders())).toMatchObject({
      error: { code: "TOKEN_ERROR", cause: new Error("The issuer is down") },
    });
    expect([sent.length, down.sent.length]).toEqual([1, 0]);
  });

  it("limits the provider to the time of a request and lets an aborted call end at once", async () => {
    const token = () => new Promise<never>(() => {});
    const { terminal, clock, sent, end } = scripted([answered], { token, timeoutMs: 5000 });
    const abort = new AbortController();
    const call = terminal.listOrders({ signal: abort.signal });
    abort.abort();
    expect((await call).error?.code).toBe("ABORTED");
    expect((await end(terminal.listOrders({ patienceMs: 0 }))).error?.code).toBe("TOKEN_ERROR");
    expect([clock.nowMs(), sent.length]).toEqual([5000, 0]);
  });

  it("fails if the token cannot be sent in a header", async () => {
    const { terminal, sent, end } = scripted([answered], { token: async () => "a\nb", patienceMs: 0 });
    const { error } = await end(terminal.listOrders());
    expect(error?.code).toBe("TOKEN_ERROR");
    expect(`${error && "cause" in error && error.cause}`).toContain("is not a token for a header");
    expect(sent).toEqual([]);
  });

  it("renews a token whose `exp` has passed, unless it had already passed when the token was provided", async () => {
    const asked: boolean[] = [];
    const tokenUntil = (ms: number) => `h.${btoa(JSON.stringify({ exp: ms / 1000 }))}.s`;
    let expiryMs = Date.parse("2026-11-21T09:31:00Z");
    const token = async ({ refresh }: { refresh: boolean }) => {
      asked.push(refresh);
      return tokenUntil(expiryMs);
    };
    const { terminal, clock, end } = scripted([answered], { token });
    await end(terminal.listOrders());
    await clock.advance(59_000);
    await end(terminal.listOrders());
    expect(asked).toEqual([false]);
    await clock.advance(1000);
    // Simulates that this machine's clock is one hour fast.
    expiryMs -= 3_600_000;
    await end(terminal.listOrders());
    await end(terminal.listOrders());
    expect(asked).toEqual([false, true]);
  });
});

describe("the token provider of a page that cannot read why it is refused", () => {
  beforeEach(() => {
    vi.stubGlobal("location", { origin: "https://page.example", href: "https://page.example/" });
  });
  afterEach(() => {
    vi.unstubAllGlobals();
  });

  it("calls the token provider once more after a network error, which may hide a 401", async () => {
    const { asked, token } = provider();
    const { terminal, sent, end } = scripted(["broken", "broken", "broken", answered, "broken"], { token });
    expect((await end(terminal.listOrders())).error).toBeUndefined();
    expect(sent.map(({ headers }) => headers.Authorization)).toEqual([
      ...["Bearer token 1", "Bearer token 2", "Bearer token 2", "Bearer token 2"],
    ]);
    await end(terminal.listOrders({ patienceMs: 0 }));
    await end(terminal.listOrders({ patienceMs: 0 }));
    expect(asked).toEqual([false, true, true]);
  });

  it("keeps the old token if the provider fails after a network error", async () => {
    const asked: boolean[] = [];
    const token = async ({ refresh }: { refresh: boolean }) => {
      asked.push(refresh);
      if (refresh) throw new Error("offline");
      return "token";
    };
    const { terminal, sent, end } = scripted(["broken", answered], { token });
    expect((await end(terminal.listOrders())).error).toBeUndefined();
    expect(sent.map(({ headers }) => headers.Authorization)).toEqual(["Bearer token", "Bearer token"]);
    expect(asked).toEqual([false, true]);
  });

  it("calls the provider only once where every response can be read", async () => {
    vi.unstubAllGlobals();
    const { asked, token } = provider();
    const { terminal, end } = scripted(["broken", answered], { token });
    await end(terminal.listOrders());
    expect(asked).toEqual([false]);
  });
});
