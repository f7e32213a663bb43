import { describe, expect, it } from "vitest";
import { envelope, refusal, scripted } from "../support/fake-service.ts";

const body = { chain: "eth", wallet: "0x1", type: "market", side: "buy", token: "0x2", amount: "1" } as const;
const order = envelope({ order: {} });
const expired = { status: 401, body: { error: "Token expired", needsRefresh: true } };

describe("the token provider", () => {
  function provider() {
    const asked: boolean[] = [];
    const token = async ({ refresh }: { refresh: boolean }) => `token ${asked.push(refresh)}`;
    return { asked, token };
  }

  it("is asked once, and again when the token has expired, however many requests wait", async () => {
    const { asked, token } = provider();
    const { terminal, sent, end } = scripted([expired, expired, order], { token });
    const both = Promise.all([terminal.listOrders(), terminal.listPositions()]);
    expect((await end(both)).map(({ error }) => error)).toEqual([undefined, undefined]);
    await end(terminal.listOrders());
    expect(asked).toEqual([false, true]);
    expect(sent.map(({ headers }) => headers.Authorization)).toEqual([
      ...["Bearer token 1", "Bearer token 1", "Bearer token 2", "Bearer token 2", "Bearer token 2"],
    ]);
  });

  it("is not asked again if the new token has expired too, or for other reasons", async () => {
    const { asked, token } = provider();
    const old = scripted([expired], { token });
    expect(await old.end(old.terminal.listOrders())).toMatchObject({ error: { needsRefresh: true } });
    const blocked = scripted([{ status: 401, body: { error: "This user is blocked" } }], { token });
    expect(await blocked.end(blocked.terminal.listOrders())).toMatchObject({ error: { status: 401 } });
    expect(asked).toEqual([false, true, false]);
  });

  it("may fail for a while", async () => {
    let failures = 2;
    const token = async () => {
      if (failures-- > 0) throw new Error("The issuer is down");
      return "good";
    };
    const { terminal, sent, end } = scripted([order], { token });
    expect(await end(terminal.listOrders())).toMatchObject({ data: {} });
    failures = Number.POSITIVE_INFINITY;
    const down = scripted([order], { token });
    expect(await down.end(down.terminal.listOrders())).toMatchObject({
      error: { code: "TOKEN_ERROR", cause: new Error("The issuer is down") },
    });
    expect([sent.length, down.sent.length]).toEqual([1, 0]);
  });
});

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

  it("are the same in each try of a request, and are forgotten after its answer", async () => {
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

  it("are kept until the service has surely answered, so that a restarted bot goes on with them", async () => {
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

  it("are forgotten with a request that was refused, since another may follow", async () => {
    const { kept, keys } = store();
    const { terminal, end } = scripted([refusal(403, "POLICY_LIMIT")], { keys });
    await end(terminal.placeOrder({ body }));
    expect(kept.size).toBe(0);
  });

  it("differ for equal requests at the same time", async () => {
    const { kept, keys } = store();
    const { terminal, sent, end } = scripted([order], { keys });
    await end(Promise.all([terminal.placeOrder({ body }), terminal.placeOrder({ body })]));
    expect(new Set(keysOf(sent)).size).toBe(2);
    expect(kept.size).toBe(0);
  });

  it("are found again, whichever of the equal requests lost its answer", async () => {
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

  it("are kept for each of many equal requests, by a store that takes its time", async () => {
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

  it("are the caller's if they have one, and none for a dry run", async () => {
    const { terminal, sent, end } = scripted([order]);
    await end(terminal.placeOrder({ body, headers: { "Idempotency-Key": "mine" } }));
    await end(terminal.placeOrder({ body: { ...body, dryRun: true } }));
    expect(keysOf(sent)).toEqual(["mine", undefined]);
  });

  it("that cannot be kept keep the request from being sent", async () => {
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
