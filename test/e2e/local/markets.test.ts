import { Interface } from "ethers/abi";
import { callAnvil } from "trading-terminal-devnet/evm/call-anvil";
import { localAddresses } from "trading-terminal-devnet/evm/deployment";
import { exampleWallet } from "trading-terminal-devnet/example-wallets";
import { expect, it, vi } from "vitest";
import { evmChains } from "../../../lib/core/chain-facts.ts";
import type { Market } from "../../../lib/markets/core/market.ts";
import { writeMarketIndex } from "../../../lib/markets/items/market-index.ts";
import { tokenStore } from "../../../lib/markets/runs/token-store.ts";
import { openLocal } from "../../../lib/tools/admin/local-target.ts";
import { readReaderLease } from "../../../lib/trading/items/reader-leases.ts";
import { decimal, marketAt } from "../../markets/support/markets.ts";
import { get } from "../support/client.ts";
import { localRunner } from "../support/deployment.ts";
import type { Message } from "../support/inbox.ts";
import { dataFor, placeOrder } from "../support/orders.ts";
import { streamOf } from "../support/stream.ts";
import { importWallet } from "../support/terminal.ts";
import { newUser } from "../support/users.ts";

// Chosen because other tests trade on base, and request quotes for MOON on all chains.
const chain = "avax";
const { taxd: token, wrapped, v2Router } = localAddresses;
const { address: wallet, privateKey } = exampleWallet;
const path = `/api/v2/markets/${chain}/${token}`;

/**
 * Polls slowly enough to stay within the user's rate limit. On a chain that has only just started, the first attempt to
 * read a history can fail, and the next one follows a minute later.
 */
const wholePatience = { timeout: 150_000, interval: 500 };

type Data = { price?: string; token?: string; minutes?: { trades: number }[] };

const recordIn = ({ type, channel, data }: Message): Data | undefined =>
  type === "update" && channel === "prices"
    ? (data as Data[]).find((each) => each.token === token)
    : undefined;

const router = new Interface([
  "function swapExactETHForTokensSupportingFeeOnTransferTokens(uint256, address[], address, uint256) payable",
]);

/** Buys with 0.25 coins from an account of the node, in the pool that prices the token. */
async function buyElsewhere(): Promise<void> {
  const node = `http://127.0.0.1:${localRunner().chainPort + evmChains.indexOf(chain)}`;
  const [accounts] = await callAnvil(node, [["eth_accounts", []]]);
  const [, from] = accounts as string[];
  const terms = [0, [wrapped, token], from, 2n ** 40n];
  const data = router.encodeFunctionData("swapExactETHForTokensSupportingFeeOnTransferTokens", terms);
  const value = `0x${(25n * 10n ** 16n).toString(16)}`;
  await callAnvil(node, [["eth_sendTransaction", [{ from, to: v2Router, data, value, gas: "0x7a120" }]]]);
}

it("shows the market of a followed token alike on the stream and by REST, until the token is unsubscribed", async () => {
  const user = await newUser();
  await importWallet(user, { network: chain, privateKey });
  const order = { chain, wallet, type: "market", token, side: "buy", amount: "0.25" };
  const { status, body } = await placeOrder(user, order, "k");
  expect(status, JSON.stringify(body)).toBe(200);
  const { orderId } = body.data.order;
  await vi.waitFor(async () => {
    expect((await dataFor(user, `orders/${orderId}`)).order.status).toBe("filled");
  }, 30_000);
  const stream = await streamOf(user);
  const named = { chain, token, candles: true };
  const message = { type: "subscribe", id: 1, channels: ["prices"], every: 1, tokens: [named] };
  expect(await stream.ask(message)).toMatchObject({ every: 1, tokens: [named] });
  // The first record may precede the order's trade, when the price was still 0.0001.
  const state = recordIn(await stream.take((each) => Number(recordIn(each)?.price ?? 0) > 0.0001));
  expect(state).toMatchObject({ chain, symbol: "TAXD", quote: "native" });

  await buyElsewhere();
  // Earlier messages may show the order's own trade at the earlier price.
  const traded = (each: Message) => {
    const { price = 0, minutes = [] } = recordIn(each) ?? {};
    return Number(price) > Number(state?.price) && minutes.some(({ trades }) => trades > 0);
  };
  const { price } = recordIn(await stream.take(traded)) ?? {};

  // The market is stored as soon as its history has been read.
  await vi.waitFor(async () => {
    const { market } = (await dataFor(user, `markets/${chain}/${token}`)) as never as { market: object };
    expect(market).toMatchObject({ price, history: "complete" });
    const minutes = await get(`${path}/candles?interval=1m&currency=quote`, user);
    const candles = expect.arrayContaining([expect.objectContaining({ open: "0.0001" })]);
    expect(minutes.json).toMatchObject({ success: true, data: { quote: "native", candles } });
    const { positions } = await dataFor(user, "positions?status=open&valued=true");
    expect(positions).toMatchObject([
      { token, price: expect.stringMatching(/^0\.0001/), value: expect.stringMatching(/^0\.2/) },
    ]);
  }, wholePatience);
  const { tokens } = (await dataFor(user, `tokens?query=${token}`)) as never as { tokens: object[] };
  expect(tokens).toContainEqual(expect.objectContaining({ chain, token, symbol: "TAXD" }));
  const backwards = "from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z";
  expect(await get(`${path}/candles?interval=1m&${backwards}`, user)).toMatchObject({
    status: 400,
    json: { error: { code: "INVALID_REQUEST", details: { field: "from" } } },
  });

  await stream.ask({ type: "unsubscribe", id: 2, tokens: [{ chain, token }] });
  const ended = stream.received.length;
  await buyElsewhere();
  // The first update may already have been on its way.
  for (let updates = 0; updates < 3; updates++)
    await stream.take((each) => each.type === "update" && stream.received.indexOf(each) > ended);
  expect(stream.received.slice(ended + 1).some((each) => recordIn(each) !== undefined)).toBe(false);
});

it("finds a token by its name only if it was first read at least a day ago", async () => {
  const { table } = await openLocal(localRunner().port);
  const now = new Date();
  const pool = { ...(marketAt(now).pool as NonNullable<Market["pool"]>), depth: decimal("100000") };
  const [old, young] = ["a1", "a2"].map((end) => `0x${end.padStart(40, "0")}`) as [string, string];
  const shown = { chain, symbol: "YESTERDAY", name: "Yesterday" } as const;
  const seconds = now.getTime() / 1000;
  const tokens = [
    { ...shown, token: old, firstSeen: seconds - 25 * 3600, decimals: 18, depthUsd: 100_000 },
    { ...shown, token: young, firstSeen: seconds - 23 * 3600, decimals: 18, depthUsd: 100_000 },
  ];
  for (const { token, firstSeen } of tokens) {
    const firstSeenAt = new Date(firstSeen * 1000).toISOString();
    const market = marketAt(now, { ...shown, token, firstSeenAt, pool });
    await tokenStore(table)
      .writer(0)
      .saveMarket({ market, state: { pools: [], bases: [] } }, now);
  }
  const user = await newUser();
  // Writes the index like the reader, which may not write it again for ten minutes.
  const search = async () => {
    const leases = (["markets", `markets ${chain}`] as const).map((each) => readReaderLease(table, each));
    const epochs = (await Promise.all(leases)).map((lease) => lease?.epoch ?? 0);
    await writeMarketIndex(table, chain, tokens, { epoch: Math.max(...epochs), now: new Date() });
    return dataFor(user, "tokens?query=yesterday");
  };
  // The service remembers an index for a minute.
  await expect
    .poll(search, { timeout: 90_000, interval: 1000 })
    .toMatchObject({ tokens: [{ chain, token: old, symbol: "YESTERDAY", listed: false }] });
});

it("lists the tokens with new pools while somebody asks, and finds them by name", async () => {
  const user = await newUser();
  const found = async () => {
    const { json } = await get("/api/v2/tokens/new?chain=bsc", user);
    const { tokens } = (json as { data: { tokens: { token: string }[] } }).data;
    return tokens.find((each) => each.token === token);
  };
  const flags = expect.arrayContaining(["TAXED"]);
  await expect
    .poll(found, { timeout: 60_000, interval: 1000 })
    .toMatchObject({ symbol: "TAXD", isConfirmed: true, flags });
  // The service remembers new tokens for ten seconds.
  await expect
    .poll(() => dataFor(user, "tokens?chain=bsc&query=taxd"), { timeout: 60_000, interval: 1000 })
    .toMatchObject({ tokens: [{ token, listed: false, flags: ["NEW"] }] });
});
