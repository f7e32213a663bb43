import { getEventListeners } from "node:events";
import type { Retry } from "trading-terminal-client";
import { describe, expect, it, vi } from "vitest";
import { realClock } from "../../lib/client/clock.ts";
import { routes } from "../../lib/client/openapi.ts";
import { envelope, refusal, type Scripted, scripted } from "./support/fake-service.ts";

const placed = {
  chain: "eth",
  wallet: "0x1",
  type: "market",
  side: "buy",
  token: "0x2",
  amount: "1",
} as const;
const quote = { chain: "eth", side: "buy", token: "0x2", amount: "1" } as const;
const html = { status: 502, text: "<html>" };

/** Returns a call's error and number of tries for these scripted responses. */
async function quoted(answers: readonly Scripted[]) {
  const { terminal, sent, end, clock } = scripted(answers, { patienceMs: 70_000 });
  const { data, error } = await end(terminal.quoteOrder({ body: quote }));
  return { data, error, tries: sent.length, waitedMs: clock.nowMs() };
}

describe("a call", () => {
  it("sends path, query, body and headers as the operation requires", async () => {
    const { terminal, sent, end } = scripted([{ status: 200, body: { slippage: 1 } }]);
    await end(terminal.inspectToken({ path: { chain: "eth", token: "0x/?" } }));
    await end(terminal.listOrders({ query: { chain: "eth", limit: 2 } }));
    await end(terminal.updateTradingSettings({ path: { chain: "sol" }, body: { slippage: 1 } }));
    expect(sent).toEqual([
      { method: "GET", url: "http://service/api/v2/tokens/eth/0x%2F%3F", headers: {}, body: undefined },
      { method: "GET", url: "http://service/api/v2/orders?chain=eth&limit=2", headers: {}, body: undefined },
      {
        method: "POST",
        url: "http://service/updateTradingSettings/sol",
        headers: { "Content-Type": "application/json" },
        body: { slippage: 1 },
      },
    ]);
  });

  it.each([
    ["the data of an envelope", envelope({ orders: [] }), { orders: [] }],
    ["the body where there is no envelope", { status: 200, body: { data: 1 } }, { data: 1 }],
    ["undefined for a 204", { status: 204 }, undefined],
  ])("returns %s as a call's result", async (_, answer, data) => {
    const { terminal, end } = scripted([answer]);
    expect(await end(terminal.listOrders())).toEqual({ data, headers: expect.any(Headers) });
  });

  it.each([
    [refusal(409, "WALLET_BUSY"), { status: 409, code: "WALLET_BUSY", message: "It is WALLET_BUSY" }],
    [
      refusal(403, "POLICY_LIMIT", { details: { rule: "maxOrder", limit: "1", requested: "2" } }),
      { status: 403, code: "POLICY_LIMIT", details: { rule: "maxOrder", limit: "1", requested: "2" } },
    ],
    [
      { status: 400, body: { message: "no" } },
      { status: 400, code: "INVALID_REQUEST", message: "no" },
    ],
    [
      { status: 401, body: { error: "no" } },
      { status: 401, code: "UNAUTHORIZED", message: "no" },
    ],
    [
      { status: 403, body: { error: "no", message: "no" } },
      { status: 403, code: "FORBIDDEN" },
    ],
    [
      { status: 418, body: {} },
      { status: 418, code: "REFUSED" },
    ],
    [
      { status: 403, body: { error: null } },
      { status: 403, code: "FORBIDDEN", message: "The answer has status 403" },
    ],
    [
      { status: 404, body: { error: { message: "gone" } } },
      { status: 404, code: "NOT_FOUND", message: "gone" },
    ],
    [{ status: 304 }, { status: 304, code: "NOT_MODIFIED" }],
    [
      { status: 403, text: "<html>" },
      { status: 403, code: "EDGE_ERROR" },
    ],
    [
      { status: 200, text: "<html>" },
      { status: 200, code: "EDGE_ERROR" },
    ],
    [
      { status: 200, text: "null" },
      { status: 200, code: "EDGE_ERROR" },
    ],
  ] as [Scripted, object][])("returns an error without a second try for %j", async (answer, error) => {
    expect(await quoted([answer])).toMatchObject({ error, tries: 1 });
  });

  it.each([
    ["a broken network", "broken", "NETWORK_ERROR"],
    ["a server that is silent", "silent", "NETWORK_ERROR"],
    ["a page of a proxy", html, "EDGE_ERROR"],
    ["an error of the service", refusal(500, "INTERNAL_ERROR"), "INTERNAL_ERROR"],
    ["a gateway", { status: 504, body: { error: "no", message: "no" } }, "UNAVAILABLE"],
    [
      "the rate limit",
      { status: 429, body: { error: "no" }, headers: { "Retry-After": "1" } },
      "RATE_LIMITED",
    ],
    [
      "a chain",
      { ...refusal(503, "CHAIN_UNAVAILABLE"), headers: { "Retry-After": "5" } },
      "CHAIN_UNAVAILABLE",
    ],
  ] as [string, Scripted, string][])(
    "retries after trouble with %s and eventually gives up",
    async (_, trouble, code) => {
      const lasting = await quoted([trouble, trouble, envelope({ quote: {} })]);
      expect(lasting).toMatchObject({ data: { quote: {} }, tries: 3 });
      const endless = await quoted([trouble]);
      expect(endless).toMatchObject({ error: { code } });
      expect(endless.tries).toBeGreaterThan(1);
    },
  );

  it("waits for Retry-After unless that exceeds the time allowed for retries", async () => {
    const limited = (seconds: string) =>
      ({ status: 429, body: { error: "no" }, headers: { "Retry-After": seconds } }) as const;
    const { waitedMs } = await quoted([limited("7"), envelope({ quote: {} })]);
    expect(waitedMs).toBeGreaterThanOrEqual(7000);
    expect(waitedMs).toBeLessThan(8000);
    expect(await quoted([limited("120")])).toMatchObject({ tries: 1, error: { retryAfterSeconds: 120 } });
  });

  it("repeats a request with If-Match only after failures without an effect", async () => {
    const conditional = { path: { chain: "eth" }, body: {}, headers: { "If-Match": '"1"' } } as const;
    const broken = scripted(["broken"]);
    const { error } = await broken.end(broken.terminal.updateTradingSettings(conditional as never));
    expect([error?.code, broken.sent.length]).toEqual(["NETWORK_ERROR", 1]);
    const limited = scripted([
      { status: 429, body: { error: "no" } },
      { status: 200, body: {} },
    ]);
    await limited.end(limited.terminal.updateTradingSettings(conditional as never));
    expect(limited.sent).toHaveLength(2);
  });

  /** Counts the tries of an operation whose first answer is lost. */
  async function triesOf(name: keyof typeof routes): Promise<number> {
    const { terminal, sent, end } = scripted(["broken", envelope({})]);
    const parts = routes[name].matchAll(/\{(\w+)\}/g);
    const path = Object.fromEntries([...parts].map(([, part]) => [part, "1"]));
    await end((terminal[name] as (request: object) => Promise<unknown>)({ path }));
    return sent.length;
  }

  const repeated = (Object.keys(routes) as (keyof typeof routes)[]).filter((name) => name !== "createDevice");

  it.each(repeated)("repeats the request of %s after a lost response", async (name) => {
    expect(await triesOf(name)).toBe(2);
  });

  it("does not repeat the registration of a device, which would add a second webhook", async () => {
    expect(await triesOf("createDevice")).toBe(1);
  });

  it("sends cookies, adds an empty body where required and follows no redirects", async () => {
    const { terminal, sent, inits, end } = scripted([envelope({})]);
    await end(terminal.cancelOrder({ path: { orderId: "1" } }));
    await end(terminal.retireWallet({ path: { walletId: "1" } }));
    expect(inits[0]).toMatchObject({ credentials: "include", redirect: "error" });
    expect(sent.map(({ body, headers }) => [body, headers])).toEqual([
      [{}, { "Content-Type": "application/json" }],
      [undefined, {}],
    ]);
  });

  it("leaves no timers or listeners when a call has ended", async () => {
    const { terminal, clock, end } = scripted([html, "broken", envelope({})], { token: async () => "t" });
    const { signal } = new AbortController();
    await end(terminal.listOrders({ signal }));
    expect(getEventListeners(signal, "abort")).toEqual([]);
    expect(clock.timers()).toBe(0);
  });

  it("waits for random times, so that clients do not all return at once", async () => {
    const waits = async (random: number) => {
      const { terminal, clock, end } = scripted(["broken", envelope({})]);
      vi.spyOn(clock, "random").mockReturnValue(random);
      await end(terminal.listOrders());
      return clock.nowMs();
    };
    expect(await waits(0.5)).toBe(1.5 * (await waits(0)));
  });

  it("measures the time allowed for retries with a clock that never goes back", () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    try {
      const beforeMs = realClock.nowMs();
      vi.setSystemTime(0);
      expect(realClock.nowMs()).toBeGreaterThanOrEqual(beforeMs);
      expect(realClock.dateMs()).toBeLessThan(1000);
    } finally {
      vi.useRealTimers();
    }
  });

  it("stops when its signal aborts", async () => {
    const { terminal, end } = scripted(["silent"]);
    const abort = new AbortController();
    const call = end(terminal.listOrders({ signal: abort.signal }));
    abort.abort();
    expect(await call).toMatchObject({ error: { code: "ABORTED" } });
  });

  it("returns either data or an error, as two types for the compiler", async () => {
    const details = { rule: "maxOrder", limit: "1", requested: "2" };
    const { terminal, end } = scripted([refusal(403, "POLICY_LIMIT", { details })]);
    const { data, error } = await end(terminal.placeOrder({ body: placed }));
    if (error?.code !== "POLICY_LIMIT") throw new Error("It is POLICY_LIMIT");
    const status: 403 = error.status;
    if (error.details.rule !== "maxOrder") throw new Error("It is maxOrder");
    const limit: string = error.details.limit;
    expect([status, limit]).toEqual([403, "1"]);
    const amount: string | undefined = data && "order" in data ? data.order.amount : undefined;
    expect(amount).toBeUndefined();
    // @ts-expect-error: no such code
    expect(error.code === "NO_SUCH_CODE").toBe(false);
    // @ts-expect-error: the chain is missing
    void end(terminal.readBalances());
    // @ts-expect-error: the ciphertext is bound to a key, which is missing
    void end(terminal.importWallet({ body: {} as never }));
    // @ts-expect-error: the body is missing
    void end(terminal.updateTradingSettings({ path: { chain: "eth" } }));
  });

  it("rejects a call that lacks a part of the path", async () => {
    const { terminal } = scripted([envelope({})]);
    await expect(terminal.getOrder({ path: {} } as never)).rejects.toThrow("The path needs orderId");
  });
});

describe("pages", () => {
  it("reads all pages of a list with the same filters", async () => {
    const page = (ids: string[], cursor?: string) =>
      envelope({ orders: ids.map((orderId) => ({ orderId })), ...(cursor && { cursor }) });
    const { terminal, sent, end } = scripted([page(["a", "b"], "c1"), page([], "c2"), page(["c"])]);
    const ids: string[] = [];
    const read = async () => {
      for await (const { data } of terminal.pages("listOrders", { query: { status: "filled", limit: 2 } }))
        ids.push(...(data?.orders ?? []).map(({ orderId }) => orderId));
    };
    await end(read());
    expect(ids).toEqual(["a", "b", "c"]);
    expect(sent.map(({ url }) => new URL(url).search)).toEqual([
      ...["?status=filled&limit=2", "?status=filled&limit=2&cursor=c1", "?status=filled&limit=2&cursor=c2"],
    ]);
  });

  it("stops at the first error and requests no page that nobody reads", async () => {
    const first = envelope({ orders: [], cursor: "c1" });
    const failing = scripted([first, refusal(400, "INVALID_REQUEST", { details: { field: "cursor" } })]);
    const codes: (string | undefined)[] = [];
    const read = async () => {
      for await (const { error } of failing.terminal.pages("listOrders")) codes.push(error?.code);
    };
    await failing.end(read());
    expect(codes).toEqual([undefined, "INVALID_REQUEST"]);
    const left = scripted([first]);
    const leave = async () => {
      for await (const _ of left.terminal.pages("listOrders")) break;
    };
    await left.end(leave());
    expect(left.sent).toHaveLength(1);
  });
});

describe("onRetry", () => {
  it("reports each coming retry, and keeps going if the callback throws", async () => {
    const retries: Retry[] = [];
    const thrown: unknown[] = [];
    const catchIt = (error: unknown) => thrown.push(error);
    process.once("uncaughtException", catchIt);
    const onRetry = (retry: Retry) => {
      retries.push(retry);
      if (retry.tries === 2) throw new Error("a mistake");
    };
    const answers = [{ status: 502 }, "broken", envelope({ orders: [] })] as const;
    const { terminal, end } = scripted(answers, { onRetry });
    expect(await end(terminal.listOrders())).toMatchObject({ data: { orders: [] } });
    process.off("uncaughtException", catchIt);
    expect(retries).toMatchObject([
      { operation: "listOrders", tries: 1, waitMs: 125, error: { status: 502 } },
      { operation: "listOrders", tries: 2, waitMs: 250, error: { code: "NETWORK_ERROR" } },
    ]);
    expect(thrown).toMatchObject([{ message: "a mistake" }]);
  });
});
