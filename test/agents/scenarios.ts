import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import type { TradingChain } from "trading-terminal-client";
import { localAddresses } from "trading-terminal-devnet/evm/deployment";
import type { Agent, Told } from "./agent.ts";
import type { AgentOptions, World } from "./world.ts";

export type Scenario = {
  name: string;
  /** Task of the agent, in the words of docs/agents.md. */
  does: string;
  /** Chain on which it plays. Scenarios of one chain follow each other. */
  chain: TradingChain;
  /** Rights of the key of an agent that only this scenario has. Undefined if the chain's agent plays. */
  own?: AgentOptions;
  play(agent: Agent, place: { world: World; chain: TradingChain }): Promise<void>;
};

const walletOn = async (agent: Agent, network: TradingChain): Promise<string> =>
  (await agent.ask("list wallets", { network })).wallets[0].generatedWalletAddress;

/** Finds the one listed token of this name that imitates no other. */
async function tokenNamed(agent: Agent, chain: TradingChain, query: string): Promise<string> {
  const { tokens } = await agent.ask("find tokens", { chain, query });
  const real = tokens.filter(({ listed, flags }: Told) => listed && !flags.includes("IMPERSONATES"));
  assert.equal(real.length, 1, `${query} names ${tokens.length} tokens`);
  return real[0].token;
}

async function placeOf(agent: Agent, chain: TradingChain, name = "Moon") {
  return { chain, wallet: await walletOn(agent, chain), token: await tokenNamed(agent, chain, name) };
}

/** Asks for a quote, and confirms it. */
async function ordered(agent: Agent, tool: string, values: object): Promise<Told> {
  const { quoteId } = await agent.ask(tool, { ...values });
  return (await agent.ask(tool, { ...values, quoteId })).order;
}

/** Trades at once, and waits for the fill. */
async function filled(agent: Agent, tool: string, values: object): Promise<Told> {
  const { orderId } = await ordered(agent, tool, values);
  for (;;) {
    const { order } = await agent.ask("wait for order", { orderId });
    if (order.status === "open") continue;
    assert.equal(order.status, "filled", order.reason);
    return order;
  }
}

const positionOf = async (agent: Agent, chain: TradingChain): Promise<Told> =>
  (await agent.ask("list positions", { chain, status: "open" })).positions[0];

const numberOfOrders = async (world: World, chain: TradingChain): Promise<number> =>
  (await world.user.listOrders({ query: { chain } })).data?.orders.length ?? 0;

/** Checks that nothing was ordered on a chain meanwhile. */
async function withoutOrder<Result>(
  world: World,
  chain: TradingChain,
  act: () => Promise<Result>,
): Promise<Result> {
  const before = await numberOfOrders(world, chain);
  const result = await act();
  assert.equal(await numberOfOrders(world, chain), before, "An order was placed");
  return result;
}

export const scenarios: readonly Scenario[] = [
  {
    name: "Buy",
    does: "buys a token for 0.1 SOL, and reports what it got",
    chain: "sol",
    async play(agent, { chain }) {
      const order = await filled(agent, "buy", { ...(await placeOf(agent, chain)), amount: "0.1" });
      assert.equal((await positionOf(agent, chain)).amount, order.receivedAmount);
    },
  },
  {
    name: "Token found by name",
    does: "finds a token by its name, which imitates no other, and buys it",
    chain: "eth",
    async play(agent, { chain }) {
      await filled(agent, "buy", { ...(await placeOf(agent, chain, "Test Dollar")), amount: "0.1" });
    },
  },
  {
    name: "Honeypot",
    does: "refuses to buy a token that cannot be sold, and names the taxes of another",
    chain: "eth",
    async play(agent, { world, chain }) {
      const { trap, taxd } = localAddresses;
      const terms = { chain, wallet: await walletOn(agent, chain), amount: "0.1" };
      const refusal = await withoutOrder(world, chain, () => agent.refused("buy", { ...terms, token: trap }));
      assert.equal(refusal.code, "TOKEN_UNSAFE");
      assert.match(refusal.next, /^Stop.*honeypot/);
      assert.equal((await agent.ask("inspect token", { chain, token: trap })).token.sellable, false);
      const { warnings } = await agent.ask("buy", { ...terms, token: taxd });
      assert.match(warnings.join(), /The token takes \d+ % of buys/);
    },
  },
  {
    name: "Profit of a position",
    does: "buys, and reports the profit once the price has risen",
    chain: "base",
    async play(agent, { world, chain }) {
      const terms = await placeOf(agent, chain);
      await filled(agent, "buy", { ...terms, amount: "0.5" });
      await agent.ask("get market", { chain, token: terms.token });
      await world.movePrice("base", "MOON", 1.2);
      await world.until(async () => {
        const { data } = await world.user.listPositions({ query: { chain, valued: true } });
        return Number(data?.positions[0]?.netUnrealizedPnl) > 0.05;
      });
      assert.ok((await positionOf(agent, chain)).netUnrealizedPnl > 0.05);
    },
  },
  {
    name: "Sell half",
    does: "sells half of a position",
    chain: "base",
    async play(agent, { chain }) {
      const before = await positionOf(agent, chain);
      await filled(agent, "sell", { ...(await placeOf(agent, chain)), percent: 50 });
      const after = await positionOf(agent, chain);
      assert.ok(Math.abs(after.amount / before.amount - 0.5) < 1e-9);
      assert.ok(Number(after.realizedPnl) > 0);
    },
  },
  {
    name: "Set a stop",
    does: "places a stop 30 % below the price",
    chain: "base",
    async play(agent, { chain }) {
      const { amount: held, wallet, token } = await positionOf(agent, chain);
      const { quote } = await agent.ask("quote", { chain, token, side: "sell", amount: held });
      const stopPrice = text(quote.price * 0.7);
      const stop = { chain, wallet, token, side: "sell", type: "stop", percent: 100, stopPrice };
      const { quoteId, resting } = await agent.ask("place resting order", stop);
      assert.equal(resting.wouldFireNow, false);
      const { order } = await agent.ask("place resting order", { ...stop, quoteId });
      assert.deepEqual([order.stage, order.stopPrice, order.amount], ["resting", stop.stopPrice, held]);
    },
  },
  {
    name: "Cancel a resting order",
    does: "finds the stop, and cancels it",
    chain: "base",
    async play(agent) {
      const { orders } = await agent.ask("list orders", { status: "resting" });
      const own = orders.find(({ chain, type }: Told) => chain === "base" && type === "stop");
      const { order } = await agent.ask("cancel order", { orderId: own.orderId });
      assert.equal(order.status, "cancelled");
      assert.equal(
        (await agent.refused("cancel order", { orderId: "01M8NKP5K96DZXMVSWABRZXYT8" })).status,
        undefined,
      );
    },
  },
  {
    name: "Limit",
    does: "buys at a limit that the price reaches",
    chain: "bsc",
    async play(agent, { chain }) {
      const terms = {
        ...(await placeOf(agent, chain)),
        side: "buy",
        type: "limit",
        amount: "0.1",
        price: "0.00012",
      };
      const order = await filled(agent, "place resting order", terms);
      assert.ok(order.averagePrice <= terms.price, JSON.stringify(order));
    },
  },
  {
    name: "Slices",
    does: "buys in slices, and cancels the rest after the first",
    chain: "bsc",
    async play(agent, { world, chain }) {
      const slices = { slices: 3, intervalSeconds: 60 };
      const terms = { ...(await placeOf(agent, chain)), side: "buy", type: "twap", amount: "0.3", ...slices };
      const { orderId } = await ordered(agent, "place resting order", terms);
      await world.until(async () => {
        const { data } = await world.user.getOrder({ path: { orderId } });
        return data?.order.status === "partially_filled";
      });
      assert.ok((await agent.ask("cancel all orders", { chain })).cancelled >= 1);
      assert.equal((await agent.ask("get order", { orderId })).order.status, "cancelled");
    },
  },
  {
    name: "Lost answer",
    does: "confirms again after the answer and its own tools were lost, and has bought once",
    chain: "sol",
    async play(agent, { world, chain }) {
      const terms = { ...(await placeOf(agent, chain)), amount: "0.1" };
      const before = await numberOfOrders(world, chain);
      const { quoteId } = await agent.ask("buy", terms);
      const lost = world.proxy.loseAnswer();
      const unanswered = agent.ask("buy", { ...terms, quoteId }).catch(() => "lost");
      await lost;
      agent.crash();
      assert.equal(await unanswered, "lost");
      await agent.start();
      const { order, replayed } = await agent.ask("buy", { ...terms, quoteId });
      assert.ok(replayed);
      await agent.ask("wait for order", { orderId: order.orderId });
      assert.equal(await numberOfOrders(world, chain), before + 1);
    },
  },
  {
    name: "Expired quote",
    does: "asks for a new quote when the old one has expired",
    chain: "sol",
    own: { quoteSeconds: 1 },
    async play(agent, { world, chain }) {
      const terms = { ...(await placeOf(agent, chain)), amount: "0.1" };
      await withoutOrder(world, chain, async () => {
        const { quoteId } = await agent.ask("buy", terms);
        await pause(1100);
        assert.equal((await agent.refused("buy", { ...terms, quoteId })).code, "QUOTE_EXPIRED");
      });
      assert.ok((await agent.ask("buy", terms)).quoteId);
    },
  },
  {
    name: "Another trade",
    does: "cannot confirm a trade of 10 with a quote for 0.1",
    chain: "eth",
    async play(agent, { world, chain }) {
      const terms = { ...(await placeOf(agent, chain)), amount: "0.1" };
      const { quoteId } = await agent.ask("buy", terms);
      const refusal = await withoutOrder(world, chain, () =>
        agent.refused("buy", { ...terms, amount: "10", quoteId }),
      );
      assert.deepEqual(
        [refusal.code, refusal.message],
        ["QUOTE_DIFFERS", "The quote has another amount, which was 0.1"],
      );
      await agent.ask("buy", { ...terms, quoteId });
    },
  },
  {
    name: "A number for an amount",
    does: "sends a number, and then text",
    chain: "eth",
    async play(agent, { world, chain }) {
      const terms = await placeOf(agent, chain);
      const refusal = await withoutOrder(world, chain, () => agent.refused("buy", { ...terms, amount: 0.1 }));
      assert.deepEqual([refusal.code, refusal.field], ["INVALID_REQUEST", "amount"]);
      await agent.ask("buy", { ...terms, amount: "0.1" });
    },
  },
  {
    name: "Insufficient balance",
    does: "buys less, after it asked for more than the wallet has",
    chain: "eth",
    async play(agent, { world, chain }) {
      const terms = await placeOf(agent, chain);
      const refusal = await withoutOrder(world, chain, () =>
        agent.refused("buy", { ...terms, amount: "1000" }),
      );
      assert.equal(refusal.code, "INSUFFICIENT_BALANCE");
      const { balances } = await agent.ask("list balances", { chain, wallet: terms.wallet });
      const { available } = balances.find(({ token }: Told) => token === "native");
      await filled(agent, "buy", { ...terms, amount: text(available / 100) });
    },
  },
  {
    name: "Wallet without funds",
    does: "says that the wallet is empty, and orders nothing",
    chain: "avax",
    async play(agent, { world, chain }) {
      const terms = { ...(await placeOf(agent, chain)), amount: "0.1" };
      const refusal = await withoutOrder(world, chain, () => agent.refused("buy", terms));
      assert.equal(refusal.code, "INSUFFICIENT_BALANCE");
      assert.match(refusal.next, /ask the user to add coins/);
      const { balances } = await agent.ask("list balances", { chain, wallet: terms.wallet });
      assert.ok(balances.every(({ amount }: Told) => amount === "0"));
    },
  },
  {
    name: "Chain down",
    does: "waits while the hosts of a chain do not answer, and then continues",
    chain: "avax",
    async play(agent, { world, chain }) {
      const terms = { ...(await placeOf(agent, chain)), amount: "0.1" };
      await world.breakChain("avax", true);
      const refusal = await agent.refused("buy", terms);
      assert.equal(refusal.code, "CHAIN_UNAVAILABLE");
      await world.breakChain("avax", false);
      await pause(refusal.retryAfterSeconds * 1000);
      assert.equal((await agent.refused("buy", terms)).code, "INSUFFICIENT_BALANCE");
    },
  },
  {
    name: "Limit of an order",
    does: "stops at its key's limit of an order, and says so",
    chain: "bsc",
    own: { maxPerOrder: "0.05" },
    async play(agent, { world, chain }) {
      const terms = await placeOf(agent, chain);
      const refusal = await withoutOrder(world, chain, () =>
        agent.refused("buy", { ...terms, amount: "0.1" }),
      );
      assert.deepEqual([refusal.code, refusal.details.rule], ["KEY_LIMIT", "maxPerOrder"]);
      assert.match(refusal.next, /^Stop/);
    },
  },
  {
    name: "Limit of a day",
    does: "stops when its key has spent what a day allows",
    chain: "bsc",
    own: { maxPerDay: "0.15" },
    async play(agent, { chain }) {
      const terms = { ...(await placeOf(agent, chain)), amount: "0.1" };
      await filled(agent, "buy", terms);
      const refusal = await agent.refused("buy", terms);
      assert.deepEqual([refusal.code, refusal.details.rule], ["KEY_LIMIT", "maxPerDay"]);
    },
  },
  {
    name: "Key that only reads",
    does: "reads, but cannot trade without the scope",
    chain: "avax",
    own: { scopes: ["read"] },
    async play(agent, { world, chain }) {
      const terms = { ...(await placeOf(agent, chain)), amount: "0.1" };
      const refusal = await withoutOrder(world, chain, () => agent.refused("buy", terms));
      assert.equal(refusal.code, "SCOPE_MISSING");
      await agent.ask("list positions", {});
    },
  },
  {
    name: "Revoked key",
    does: "stops at once when the user has revoked its key",
    chain: "avax",
    own: {},
    async play(agent, { world, chain }) {
      const terms = { ...(await placeOf(agent, chain)), amount: "0.1" };
      assert.ok(!(await world.user.deleteKey({ path: { keyId: agent.keyId } })).error);
      const refusal = await withoutOrder(world, chain, () => agent.refused("buy", terms));
      assert.equal(refusal.code, "KEY_REFUSED");
      assert.match(refusal.next, /^Stop/);
    },
  },
];

/** Writes an amount or a price as text, without an exponent. */
const text = (value: number) => value.toFixed(12);
