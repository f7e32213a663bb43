import { createTerminal } from "trading-terminal-client";
import { describe, expect, it } from "vitest";
import { VirtualClock } from "./support/virtual-clock.ts";

type Bucket = { atOnce: number; perSecond: number };
type Service = { plan?: Bucket; method?: Bucket; policy?: string };

const policy = '"standard";q=1000;w=60, "POST /api/v2/quotes";q=100;w=20';
const quotes = { atOnce: 100, perSecond: 5 };

/** A service that limits requests by token buckets, and answers each request after 50 ms. */
function limitedService({ plan, method, policy }: Service) {
  const clock = new VirtualClock();
  const log: { status: number; atMs: number; amount: string | undefined }[] = [];
  const buckets = [plan, method].flatMap((bucket) =>
    bucket ? [{ ...bucket, left: bucket.atOnce, atMs: 0 }] : [],
  );
  const isWithin = (bucket: (typeof buckets)[number]) => {
    const nowMs = clock.nowMs();
    const gained = ((nowMs - bucket.atMs) / 1000) * bucket.perSecond;
    bucket.left = Math.min(bucket.atOnce, bucket.left + gained);
    bucket.atMs = nowMs;
    return bucket.left >= 1;
  };
  const fetch = async (_url: unknown, { body, signal }: RequestInit = {}) => {
    signal?.throwIfAborted();
    const isAllowed = buckets.map(isWithin).every(Boolean);
    if (isAllowed) for (const bucket of buckets) bucket.left -= 1;
    const amount = body ? (JSON.parse(String(body)) as { amount?: string }).amount : undefined;
    log.push({ status: isAllowed ? 200 : 429, atMs: clock.nowMs(), amount });
    await new Promise<void>((resolve) => clock.after(50, resolve));
    if (!isAllowed) return Response.json({ error: "no" }, { status: 429, headers: { "Retry-After": "1" } });
    const headers = new Headers(policy === undefined ? {} : { "RateLimit-Policy": policy });
    return Response.json({ success: true, data: { quote: {} } }, { headers });
  };
  const terminal = createTerminal({ baseUrl: "http://service", fetch }, clock);
  const quote = (amount: number, more: { signal?: AbortSignal; patienceMs?: number } = {}) =>
    terminal.quoteOrder({ body: { chain: "eth", side: "buy", token: "0x2", amount: `${amount}` }, ...more });
  const quoteAll = (times: number, patienceMs: number) =>
    clock.during(Promise.all(Array.from({ length: times }, (_, index) => quote(index, { patienceMs }))), 1e5);
  const refused = () => log.filter(({ status }) => status === 429).length;
  return { clock, terminal, quote, quoteAll, log, refused };
}

describe("a request beyond the limits of the service", () => {
  it("waits in order until the method's own limit allows it, so that none is refused", async () => {
    const { quoteAll, log, refused, clock } = limitedService({ method: quotes, policy });
    const answers = await quoteAll(150, 60_000);
    expect(answers.filter(({ error }) => error)).toEqual([]);
    expect(refused()).toBe(0);
    expect(log.map(({ amount }) => amount)).toEqual(Array.from({ length: 150 }, (_, index) => `${index}`));
    // 50 more than the bucket has come back in ten seconds, and a twentieth of the limit is left unused.
    expect(clock.nowMs()).toBeGreaterThan(10_000);
    expect(clock.nowMs()).toBeLessThan(13_000);
  });

  it("waits for the plan, whatever operations share it", async () => {
    const { terminal, clock, refused } = limitedService({
      plan: { atOnce: 60, perSecond: 1 },
      policy: '"standard";q=60;w=60',
    });
    await clock.during(terminal.listOrders());
    const lists = Array.from({ length: 40 }, () => [terminal.listOrders(), terminal.listPositions()]).flat();
    expect((await clock.during(Promise.all(lists), 1e5)).filter(({ error }) => error).length).toBeLessThan(
      10,
    );
    expect(refused()).toBe(0);
  });

  it("is not sent, but refused at once, if it would have to wait longer than it may", async () => {
    const { quote, quoteAll, log, clock } = limitedService({ method: quotes, policy });
    await quoteAll(1, 0);
    const startMs = clock.nowMs();
    const refusedMs: number[] = [];
    const calls = Array.from({ length: 150 }, async (_, index) => {
      const answer = await quote(index, { patienceMs: 5000 });
      if (answer.error) refusedMs.push(clock.nowMs());
      return answer;
    });
    const answers = await clock.during(Promise.all(calls), 1e5);
    const late = answers.filter(({ error }) => error);
    expect(late.length).toBeGreaterThan(20);
    expect(log.length).toBe(1 + 150 - late.length);
    expect(clock.nowMs()).toBeLessThan(5500);
    expect(new Set(refusedMs)).toEqual(new Set([startMs]));
    for (const { error } of late) {
      expect(error).toMatchObject({ status: 429, code: "RATE_LIMITED" });
      expect(error?.retryAfterSeconds).toBeGreaterThan(0);
    }
  });

  it("leaves its place in the queue when it is aborted", async () => {
    const { clock, quote, quoteAll, log } = limitedService({
      method: { atOnce: 2, perSecond: 1 },
      policy: '"a";q=9;w=1, "b";q=2;w=2',
    });
    await quoteAll(2, 0);
    const abort = new AbortController();
    const [first, second, third] = [quote(10), quote(11, { signal: abort.signal }), quote(12)];
    await clock.advance(10);
    abort.abort();
    expect((await second).error?.code).toBe("ABORTED");
    await clock.during(Promise.all([first, third]));
    expect(log.slice(2).map(({ amount }) => amount)).toEqual(["10", "12"]);
    // The second request would have taken another second.
    expect(clock.nowMs()).toBeLessThan(2500);
    expect(clock.timers()).toBe(0);
  });

  it("waits together with all requests of its operation when the service says when to come back", async () => {
    // Other programs of the user have taken the rest.
    const busy = { method: { ...quotes, atOnce: 10 }, policy };
    const { quote, quoteAll, log, refused, clock } = limitedService(busy);
    const all = quoteAll(11, 60_000);
    await clock.advance(100);
    expect(refused()).toBe(1);
    await Promise.all([all, clock.during(quote(20))]);
    const later = log.filter(({ atMs }) => atMs > 0);
    expect(later.map(({ status }) => status)).toEqual([200, 200]);
    expect(later.every(({ atMs }) => atMs >= 1050)).toBe(true);
  });

  it("goes at once in a small number, before the limit is known, and then within the limit", async () => {
    const slow = { method: { atOnce: 30, perSecond: 1 }, policy: '"standard";q=1000;w=60, "b";q=30;w=30' };
    const { quoteAll, log, refused } = limitedService(slow);
    await quoteAll(40, 60_000);
    expect(refused()).toBe(0);
    expect(log.filter(({ atMs }) => atMs < 50).length).toBeLessThanOrEqual(20);
  });

  it("never waits if the service names no limit, except for the first answer", async () => {
    const { quoteAll, clock, log } = limitedService({});
    await quoteAll(200, 60_000);
    expect(log).toHaveLength(200);
    expect(clock.nowMs()).toBeLessThan(600);
  });
});
