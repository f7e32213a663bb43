import { setImmediate } from "node:timers/promises";
import { alice } from "trading-terminal-devnet/evm/test-chain";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { ChainReader } from "../../lib/chains/families/open-chains.ts";
import { HostFault } from "../../lib/chains/hosts/host-fault.ts";
import { hostGroup } from "../../lib/chains/hosts/host-group.ts";
import { defaultChains } from "../../lib/infra/default-chains.ts";
import type { PlaceOrderRequest } from "../../lib/orders/trade-request.ts";
import { type PlacingDeps, placeOrder } from "../../lib/trading/place-order.ts";

const unhandled: unknown[] = [];
const note = (reason: unknown) => void unhandled.push(reason);
beforeEach(() => void process.on("unhandledRejection", note));
afterEach(() => void process.off("unhandledRejection", note));

const body: PlaceOrderRequest = {
  chain: "eth",
  wallet: alice.address,
  type: "market",
  side: "buy",
  token: "0x6B175474E89094C44Da98b954EedeAC495271d0F",
  amount: "0.5",
};

/** Opens an empty table that answers at once, or once two hosts are asked, and hosts that fail only when told. */
function open({ waits = false } = {}) {
  const asked: string[] = [];
  const bothAsked = Promise.withResolvers<void>();
  const failure = Promise.withResolvers<never>();
  const hosts = ["a", "b", "c"].map((name) => ({
    request() {
      if (asked.push(name) === 2) bothAsked.resolve();
      return failure.promise;
    },
  }));
  if (!waits) bothAsked.resolve();
  const send = () => bothAsked.promise.then(() => ({ Responses: { table: [] }, Items: [] }));
  const reader = {
    family: "evm",
    chain: "eth",
    configuration: defaultChains.eth,
    client: hostGroup("eth", hosts),
    taken: [],
  } as unknown as ChainReader;
  const deps: PlacingDeps = {
    table: { name: "table", client: { send } as never },
    chains: new Map([["eth", reader]]),
    tableId: "table",
    macs: {
      makeMac: () => Promise.reject(new Error("No order may be placed")),
      makeMandateMac: () => Promise.reject(new Error("No exit may be placed")),
    },
    lossSignIn: false,
    wake: () => undefined,
    startTriggers: () => undefined,
  };
  const place = (changes: Partial<PlaceOrderRequest> = {}, key: string | null = "key") =>
    placeOrder(deps, {
      userID: "alice",
      now: new Date(),
      signedInAt: undefined,
      key: key ?? undefined,
      body: { ...body, ...changes },
    });
  return { asked, fail: () => failure.reject(new HostFault("REFUSED", "eth_call")), place };
}

it.each([{}, { dryRun: true }])(
  "asks two hosts while it reads the table for %j, and refuses the order if they do not answer",
  async (changes) => {
    const { asked, fail, place } = open({ waits: true });
    await expect(place(changes)).rejects.toMatchObject({ code: "WALLET_NOT_FOUND" });
    expect(asked).toEqual(["a", "b"]);
    fail();
    await setImmediate();
    expect(unhandled).toEqual([]);
  },
);

it.each<[string, Partial<PlaceOrderRequest>, null?]>([
  ["INVALID_REQUEST", { amount: "much" }],
  ["INVALID_REQUEST", { exits: [{ percent: 1, takeProfit: { price: "1" }, stopLoss: { stopPrice: "2" } }] }],
  ["IDEMPOTENCY_KEY_MISSING", {}, null],
  ["UNSUPPORTED_CHAIN", { chain: "base" }],
])("asks no host about a request that it refuses anyway, with %s", async (code, changes, key) => {
  const { asked, place } = open();
  await expect(place(changes, key)).rejects.toMatchObject({ code });
  expect(asked).toEqual([]);
});
