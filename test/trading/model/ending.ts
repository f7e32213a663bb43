import type { Evm } from "../../../lib/chains/evm/rules/family.ts";
import type { EvmSlot } from "../../../lib/chains/evm/rules/slot.ts";
import type { BookEvent } from "../../../lib/orders/holding.ts";
import type { TradeOrder } from "../../../lib/orders/trade-order.ts";
import { tokens, wallets } from "./clients.ts";
import type { Account, State } from "./ledger-state.ts";
import { checkBook, checkFollows } from "./position-checks.ts";
import { must } from "./violation.ts";
import type { World } from "./world.ts";

const mostRounds = 80;

/** Ends all faults, and runs the world until nothing changes. */
export async function comeToRest(world: World): Promise<void> {
  const { chain } = world;
  for (const host of [0, 1] as const) {
    await chain.lie(host, undefined);
    await chain.setDown(host, false);
    await chain.lag(host, false);
  }
  await chain.tear(false);
  await chain.setRelay("up");
  await chain.setBaseFee(4n);
  world.isStopped = false;
  for (const process of world.processes) {
    process.isFrozen = false;
    process.skewMs = 0;
  }
  while (world.processes[0] !== undefined) await world.step(world.processes[0]);
  await chain.resendForeign();
  for (let blocks = 0; blocks < 2; blocks++) await chain.mine(Math.floor(world.nowMs / 1000), true);
  await untilDone(world);
  // Lets the sweep check all held tokens, as it does even if no client reads the wallets.
  for (const { wallet, userID, token } of world.table.all("held")) {
    world.startWork({ chain: "eth", wallet }, 0, { userID, token });
    await untilDone(world);
  }
}

/** Works on all lanes until none is left. */
async function untilDone(world: World): Promise<void> {
  const { chain } = world;
  while (world.processes[0] !== undefined) await world.step(world.processes[0]);
  for (let round = 0; world.table.all("lane").length > 0; round++) {
    must(round < mostRounds, "orders never come to an end");
    for (const lane of world.table.all("lane")) world.startWork(lane);
    while (world.processes[0] !== undefined) await world.step(world.processes[0]);
    world.nowMs += 12_000;
    await chain.mine(Math.floor(world.nowMs / 1000), true);
  }
}

/** Checks that the table agrees with the chain, to the unit. */
export async function checkEnd(world: World, genesis: State): Promise<void> {
  const { table, chain } = world;
  must(table.all("slot").length === 0, "a slot is left");
  must(table.all("job").length === 0, "a job is left");
  must((await chain.strayCoins()) === 0n, "coin was left in a router");
  const orders = table.all("order");
  for (const { life } of orders) {
    must(life.status !== "open", "an order never ended");
    must(life.settled, "an order never settled");
  }
  for (const wallet of wallets) {
    const own = orders.filter(({ intent }) => intent.wallet === wallet);
    await checkWallet(world, wallet, genesis.accounts.get(wallet) as Account, own);
  }
  checkPositions(world, orders);
  await checkCounted(world);
  await checkTimes(world);
}

/** Checks that the rows of fills have the times of their blocks. */
async function checkTimes({ table, chain }: World): Promise<void> {
  for (const { userID, orderId, filledAt } of table.all("earned")) {
    const { intent, life } = table.get("order", { intent: { userID, orderId } }) as TradeOrder<Evm>;
    const question = { ...intent, hashes: [life.txHash ?? ""], orders: [] };
    const receipt = (await chain.hostSnapshot(0, question))?.receipts.get(life.txHash ?? "");
    must(receipt?.block.time === Date.parse(filledAt) / 1000, "earned at another time");
  }
}

/** Checks that a wallet's positions add up to at most its balance. */
async function checkCounted({ table, chain }: World): Promise<void> {
  for (const [name, books] of Map.groupBy(table.all("book"), ({ wallet, token }) => `${wallet} ${token}`)) {
    const [wallet = "", token = ""] = name.split(" ");
    const counted = books.reduce((sum, { base }) => sum + base.amount, 0n);
    const held = (await chain.belongings(wallet)).tokens.get(token) ?? 0n;
    must(counted <= held, "positions count more than the wallet has");
  }
}

/** Checks an order against the tokens that its fill has moved, and returns their amount. */
async function tokensMoved(
  { chain, seen }: World,
  { intent, life, details }: TradeOrder<Evm>,
): Promise<bigint> {
  const shown = intent.side === "buy" ? (life.received ?? 0n) : life.spent;
  const truth = life.status === "filled" ? await chain.tokensOf?.(life.txHash ?? "") : undefined;
  if (truth === undefined) return shown;
  const { unchecked, flags } = (details?.report ?? {}) as { unchecked?: true; flags?: string[] };
  // Hosts that disagree for ten minutes leave a fill unchecked, too.
  const mayBeUnchecked = seen.has("balances are forgotten") || seen.has("lie: balances made up");
  must(!unchecked || mayBeUnchecked, "a fill was not checked");
  must(shown === (unchecked ? truth.logged : truth.moved), "an order has other amounts than the wallet");
  const isOdd = !unchecked && truth.logged !== truth.moved;
  must((flags?.includes("ODD_EVENTS") ?? false) === isOdd, "odd events are not flagged");
  if (unchecked) seen.add("filled, unchecked");
  if (isOdd) seen.add("filled with odd events");
  return truth.moved;
}

async function checkWallet(
  world: World,
  wallet: string,
  start: Account,
  orders: TradeOrder<Evm>[],
): Promise<void> {
  const { chain } = world;
  const { coins, tokens: held, nonce, pending } = await chain.belongings(wallet);
  const foreign = await chain.foreignEffect(wallet);
  must(nonce === pending, "a transaction still waits in a pool");
  let expected = start.coins + foreign.coins;
  for (const { intent, life } of orders)
    expected += (intent.side === "buy" ? -life.spent : (life.received ?? 0n)) - life.networkFee;
  const moved = await Promise.all(orders.map((order) => tokensMoved(world, order)));
  must(coins === expected, `orders and chain differ by ${coins - expected} coins`);
  for (const token of tokens) {
    let tokensLeft = (start.tokens.get(token) ?? 0n) + (foreign.tokens.get(token) ?? 0n);
    for (const [index, { intent }] of orders.entries())
      if (intent.token === token) tokensLeft += (intent.side === "buy" ? 1n : -1n) * (moved[index] ?? 0n);
    must(held.get(token) === tokensLeft, `orders and chain differ in ${token}`);
  }
}

/** Checks that each position equals the sum of its fills. */
function checkPositions({ table, seen, invariants }: World, orders: TradeOrder<Evm>[]): void {
  for (const book of table.all("book")) {
    checkBook(table, book);
    const events = orders
      .filter(({ intent }) => intent.userID === book.userID && intent.wallet === book.wallet)
      .filter(({ intent, life, ending }) => {
        const counts = life.status === "filled" || ending?.soldOutAt !== undefined;
        return intent.token === book.token && counts;
      })
      .map((order) => eventOf(order, invariants.swapOf(order.intent.orderId)))
      .concat(invariants.departuresOf(book))
      // A sale that found no tokens comes before the transaction of its nonce.
      .toSorted((a, b) => a.place - b.place || Number(b.kind === "sold-out") - Number(a.kind === "sold-out"));
    const { kept, isTakenBack } = checkFollows(table, book, events, { token: 18, coin: 18 });
    if (isTakenBack) seen.add("position taken back");
    if (kept.length > 1) seen.add("a second position");
    if (kept.some(({ movedOut }) => movedOut !== undefined)) seen.add("tokens moved out");
  }
}

function eventOf(order: TradeOrder<Evm>, swap: EvmSlot | undefined): BookEvent {
  const { intent, life, ending } = order;
  const common = { orderId: intent.orderId, settled: true, time: "2026-11-21T20:00:00.000Z" };
  if (ending?.soldOutAt !== undefined) return { ...common, kind: "sold-out", place: ending.soldOutAt };
  const { spent, received = 0n, networkFee } = life;
  const fill = { ...common, place: swap?.place ?? -1, spent, received, networkFee };
  return intent.side === "buy"
    ? { ...fill, kind: "buy" }
    : { ...fill, kind: "sell", held: swap?.held ?? spent };
}
