import { describe, expect, it } from "vitest";
import { envelope, refusal, type Scripted, scripted } from "./support/fake-service.ts";

const body = { chain: "eth", wallet: "0x1", type: "market", side: "buy", token: "0x2", amount: "1" } as const;
const order = envelope({ order: {} });
const expired = { status: 401, body: { error: "Token expired", needsRefresh: true } };

describe("Idempotency-Keys", () => {
  function store() {
    const kept = new Map<string, string>();
    const keys = {
      load: (name: string) => kept.get(name),
      save: (name: string, key: string) => void kept.set(name, key),
      remove: (name: string) => void kept.delete(name),
    };
    return { kept, keys };
  }
  const keysOf = (sent: { headers: Record<string, string> }[]) =>
    sent.map(({ headers }) => headers["Idempotency-Key"]);

  it("keeps one Idempotency-Key for all tries of a request and forgets it after the response", async () => {
    const { kept, keys } = store();
    const { terminal, sent, end } = scripted(["broken", expired, order], { keys, token: async () => "t" });
    await end(terminal.placeOrder({ body }));
    await end(terminal.placeOrder({ body }));
    const [first, second, third, fourth] = keysOf(sent);
    expect(first).toMatch(/^[0-9a-f]{32}$/);
    expect([second, third]).toEqual([first, first]);
    expect(fourth).not.toBe(first);
    expect(kept.size).toBe(0);
  });

  it("makes no key for an order that has a clientOrderId, and repeats it like any other", async () => {
    const { kept, keys } = store();
    const { terminal, sent, end } = scripted(["broken", order], { keys });
    await end(terminal.placeOrder({ body: { ...body, clientOrderId: "step-1" } }));
    expect(keysOf(sent)).toEqual([undefined, undefined]);
    expect(kept.size).toBe(0);
  });

  it("keeps a key until the service has certainly answered, so that a restarted bot can repeat the request", async () => {
    const { kept, keys } = store();
    const before = scripted(["broken"], { keys });
    await before.end(before.terminal.placeOrder({ body }));
    expect(kept.size).toBe(1);
    const refused = scripted(["broken", refusal(403, "POLICY_LIMIT")], { keys });
    await refused.end(refused.terminal.placeOrder({ body }));
    expect(kept.size).toBe(1);
    const after = scripted([order], { keys });
    await after.end(after.terminal.placeOrder({ body }));
    expect(new Set([...keysOf(before.sent), ...keysOf(refused.sent), ...keysOf(after.sent)]).size).toBe(1);
    expect(kept.size).toBe(0);
  });

  it("forgets a key after a refusal, because a different request may follow", async () => {
    const { kept, keys } = store();
    const { terminal, end } = scripted([refusal(403, "POLICY_LIMIT")], { keys });
    await end(terminal.placeOrder({ body }));
    expect(kept.size).toBe(0);
  });

  const html = (status: number) => ({ status, text: "<html>" });
  const again = { "Retry-After": "1" };
  const blocked = { status: 401, body: { error: "no" } };

  it.each<[string, Scripted]>([
    ["no answer", "broken"],
    ["no answer in time", "silent"],
    ["a failure of the service", refusal(500, "INTERNAL_ERROR")],
    ["a gateway's 502", html(502)],
    ["a 503 that does not ask to come again", { status: 503, body: { message: "no" } }],
    ["a gateway's 504", { status: 504, body: { message: "no" } }],
    ["a good answer that cannot be read", html(200)],
  ])("keeps the Idempotency-Key after %s", async (_, answer) => {
    const { kept, keys } = store();
    const { terminal, sent, end } = scripted([answer], { keys, patienceMs: 0 });
    await end(terminal.placeOrder({ body }));
    expect([sent.length, kept.size]).toEqual([1, 1]);
  });

  it.each<[string, Scripted]>([
    ["an answer", order],
    ["a refusal", refusal(409, "WALLET_BUSY")],
    ["an invalid request", { status: 400, body: { message: "no" } }],
    ["a refused token", blocked],
    ["a firewall", html(403)],
    ["the rate limit", { status: 429, body: { error: "no" }, headers: again }],
    ["a 503 that asks to come again", { ...refusal(503, "CHAIN_UNAVAILABLE"), headers: again }],
  ])("forgets the Idempotency-Key after %s", async (_, answer) => {
    const { kept, keys } = store();
    const { terminal, sent, end } = scripted([answer], { keys, patienceMs: 0 });
    await end(terminal.placeOrder({ body }));
    expect([sent.length, kept.size]).toEqual([1, 0]);
  });

  it("keeps the key if the caller aborts and forgets it if no token is available", async () => {
    const { kept, keys } = store();
    const abort = new AbortController();
    const hanging = scripted(["silent"], { keys });
    const call = hanging.end(hanging.terminal.placeOrder({ body, signal: abort.signal }));
    abort.abort();
    expect([(await call).error?.code, kept.size]).toEqual(["ABORTED", 1]);
    kept.clear();
    const token = () => Promise.reject(new Error("no"));
    const signedOut = scripted([order], { keys, token, patienceMs: 0 });
    const { error } = await signedOut.end(signedOut.terminal.placeOrder({ body }));
    expect([error?.code, kept.size]).toEqual(["TOKEN_ERROR", 0]);
  });

  it("creates no Idempotency-Key for an incomplete request", async () => {
    const { kept, keys } = store();
    const { terminal } = scripted([order], { keys });
    await expect(terminal.redeemReward({ path: {}, body: {} } as never)).rejects.toThrow("needs rewardId");
    expect(kept.size).toBe(0);
  });

  it("gives equal requests the same Idempotency-Key regardless of property order", async () => {
    const { terminal, sent, end } = scripted(["broken"], { patienceMs: 0 });
    const { chain, ...rest } = body;
    await end(terminal.placeOrder({ body }));
    await end(terminal.placeOrder({ body: { ...rest, chain } }));
    await end(terminal.placeOrder({ body: { ...body, amount: "2" } }));
    const [first, second, other] = keysOf(sent);
    expect(second).toBe(first);
    expect(other).not.toBe(first);
  });

  it("forgets keys on demand, so that an equal request counts as new", async () => {
    const { kept, keys } = store();
    const { terminal, sent, end } = scripted(["broken", "broken", "silent"], { keys, patienceMs: 0 });
    await end(Promise.all([terminal.placeOrder({ body }), terminal.placeOrder({ body })]));
    const running = terminal.placeOrder({ body });
    const next = await end(Promise.all([running, terminal.forget("placeOrder", { body })]));
    expect(next[0].error?.code).toBe("NETWORK_ERROR");
    // Only the unfinished request's key is left in the store.
    expect([...kept.values()]).toEqual([keysOf(sent)[2]]);
    await terminal.forget("placeOrder", { body });
    expect(kept.size).toBe(0);
  });

  it("gives concurrent equal requests different keys", async () => {
    const { kept, keys } = store();
    const { terminal, sent, end } = scripted([order], { keys });
    await end(Promise.all([terminal.placeOrder({ body }), terminal.placeOrder({ body })]));
    expect(new Set(keysOf(sent)).size).toBe(2);
    expect(kept.size).toBe(0);
  });

  it("reuses the key of the one among several equal requests that lost its response", async () => {
    const { kept, keys } = store();
    const { terminal, sent, end } = scripted([order, "broken", order], { keys, patienceMs: 0 });
    const [first, second] = await end(
      Promise.all([terminal.placeOrder({ body }), terminal.placeOrder({ body })]),
    );
    expect([first.error?.code, second.error?.code]).toEqual([undefined, "NETWORK_ERROR"]);
    await end(terminal.placeOrder({ body }));
    const [, lost, repeated] = keysOf(sent);
    expect(repeated).toBe(lost);
    expect(kept.size).toBe(0);
  });

  it("keeps a separate key for each of many equal requests, even if the store is slow", async () => {
    const { kept, keys } = store();
    const turns = async () => {
      for (let count = 0; count < 5; count++) await undefined;
    };
    const slow = {
      load: (name: string) => turns().then(() => keys.load(name)),
      save: (name: string, key: string) => turns().then(() => keys.save(name, key)),
      remove: (name: string) => turns().then(() => keys.remove(name)),
    };
    const before = scripted(["broken"], { keys: slow, patienceMs: 0 });
    const threeTimes = ({ terminal, end }: typeof before) =>
      end(Promise.all([1, 2, 3].map(() => terminal.placeOrder({ body }))));
    await threeTimes(before);
    const after = scripted([order], { keys: slow });
    await threeTimes(after);
    expect(new Set(keysOf(before.sent)).size).toBe(3);
    expect(keysOf(after.sent).toSorted()).toEqual(keysOf(before.sent).toSorted());
    expect(kept.size).toBe(0);
  });

  it("prefers the caller's own key and sends none in a dry run", async () => {
    const { terminal, sent, end } = scripted([order]);
    await end(terminal.placeOrder({ body, headers: { "Idempotency-Key": "mine" } }));
    await end(terminal.placeOrder({ body: { ...body, dryRun: true } }));
    await end(terminal.placeOrder({ body, headers: { "idempotency-key": "lower" } as object }));
    expect(keysOf(sent)).toEqual(["mine", undefined, "lower"]);
  });

  it("prevents the request if the key cannot be saved", async () => {
    const keys = {
      ...store().keys,
      save: () => {
        throw new Error("The disk is full");
      },
    };
    const { terminal, sent } = scripted([order], { keys });
    await expect(terminal.placeOrder({ body })).rejects.toThrow("The disk is full");
    expect(sent).toEqual([]);
  });
});
