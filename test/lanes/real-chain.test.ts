import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readListed } from "../../lib/aws/listed-executions.ts";
import { readLane, readPlacing } from "../../lib/aws/trading-views.ts";
import { localAddresses } from "../../lib/dev/chains/deployment.ts";
import { type PlaceRequest, placing } from "../../lib/domain/trading/placing.ts";
import { watchReceipts } from "../../lib/domain/trading/waking.ts";
import { chainEffects } from "../../lib/trading/chain-effects.ts";
import { executeOrders, type Signer } from "../../lib/trading/execute-orders.ts";
import { getOrder } from "../../lib/trading/get-order.ts";
import { glanceEffect } from "../../lib/trading/glance-effect.ts";
import { type ChainReader, openChains } from "../../lib/trading/open-chains.ts";
import { quotesOfHosts } from "../../lib/trading/quotes-of-hosts.ts";
import { type Performers, runProcedure } from "../../lib/trading/run-procedure.ts";
import { signOnRequest } from "../../lib/trading/sign-transaction.ts";
import { tableEffects } from "../../lib/trading/table-effects.ts";
import { tableForTests } from "../support/dynamodb.ts";
import { alice, startTestChain, type TestChain } from "../support/local-chain.ts";
import { openKeys, putSealedWallet } from "../support/signing.ts";

const db = tableForTests();
const userID = "alice";
const wallet = alice.address;
const lane = { chain: "eth", wallet } as const;
const { vault, macs } = openKeys();

let chain: TestChain;
let reader: ChainReader;
let effects: Performers;
let signer: Signer;
let woken = 0;

beforeAll(async () => {
  chain = await startTestChain();
  const configuration = { ...chain.contracts, hosts: [chain.url, chain.url] };
  const chains = openChains({ eth: configuration });
  reader = chains.get("eth") as ChainReader;
  effects = {
    ...tableEffects(db.table),
    ...chainEffects(chains),
    ...glanceEffect(chains),
    now: () => Date.now(),
    wake: () => {
      woken++;
      return undefined;
    },
  };
  const deps = { table: db.table, vault, checkMac: macs.checkMac, chains: { eth: configuration } };
  const ignore = () => undefined;
  signer = (request) =>
    signOnRequest({ ...deps, onSigned: ignore, onRefused: ignore, onFault: ignore }, request);
  await putSealedWallet({ table: db.table, vault }, lane, userID, alice.privateKey);
});
afterAll(() => chain.close());

const request = (changes: Partial<PlaceRequest["trade"]>): PlaceRequest => ({
  ...lane,
  orderId: `order to ${changes.side}`,
  userID,
  key: `key to ${changes.side}`,
  fingerprint: "body",
  trade: { side: "buy", token: localAddresses.moon, mevProtection: false, ...changes },
  ground: { chain: "eth", hasRelay: false, venues: ["uniswap-v2", "uniswap-v3"] },
  createdAt: new Date().toISOString(),
});

const place = (changes: Partial<PlaceRequest["trade"]>) =>
  runProcedure(placing(request(changes)), {
    ...effects,
    readPlacing: (ask) => readPlacing(db.table, ask),
    quote: ({ question }) => quotesOfHosts(reader, question),
    makeMac: ({ intent }) => macs.makeMac(intent),
  });

/** Has the watcher look at the chain, and runs for the lane if it wakes it. */
async function watchAndWork(): Promise<boolean> {
  woken = 0;
  await runProcedure(watchReceipts("eth", { wokenMs: new Map() }), effects);
  if (woken > 0) await executeOrders({ effects, signer }, lane);
  return woken > 0;
}

/** Mines until the lane has ended. */
async function settle(): Promise<void> {
  for (let blocks = 0; blocks < 12 && (await readLane(db.table, lane)).lane !== undefined; blocks++) {
    await chain.mine();
    await watchAndWork();
  }
}

const amountOf = async (data: string) => BigInt(await chain.call(localAddresses.moon, data));
const held = () => amountOf(`0x70a08231${wallet.slice(2).padStart(64, "0")}`);

describe("an order on a real chain", () => {
  it("buys what was quoted, sells all of it, and reports both to the unit", async () => {
    expect(await place({ side: "buy", amount: "0.5" })).toMatchObject({ isReplayed: false });
    expect(await watchAndWork()).toBe(true);
    expect(await watchAndWork()).toBe(false);
    await settle();
    const bought = await getOrder(db.table, userID, "order to buy");
    expect(bought).toMatchObject({
      order: { status: "filled", settled: true, stage: "done", receivedAmount: "4960.273038901078125544" },
      attempts: [{ purpose: "swap", nonce: 0, submission: "public", outcome: "mined" }],
      report: { spent: { token: "native", amount: "0.5" }, slippage: 0, approvalLeft: "0" },
    });
    const amount = await held();
    expect(amount).toBe(4_960_273_038_901_078_125_544n);

    const before = BigInt((await chain.request("eth_getBalance", [wallet, "latest"])) as string);
    await place({ side: "sell", percent: 100 });
    await watchAndWork();
    await settle();
    const sold = await getOrder(db.table, userID, "order to sell");
    expect(sold).toMatchObject({
      order: { status: "filled", settled: true, filledAmount: "4960.273038901078125544" },
      attempts: [
        { purpose: "approve", nonce: 1, outcome: "mined" },
        { purpose: "swap", nonce: 2, outcome: "mined" },
      ],
      report: { approvalLeft: "0" },
    });
    expect(await held()).toBe(0n);
    const after = BigInt((await chain.request("eth_getBalance", [wallet, "latest"])) as string);
    const wei = (text = "") => {
      const [whole = "", places = ""] = text.split(".");
      return BigInt(whole + places.padEnd(18, "0"));
    };
    const { receivedAmount, networkFee } = sold.order;
    expect(after - before).toBe(wei(receivedAmount) - wei(networkFee));
    const { executions } = await readListed(db.table, { userID, kind: "position" }, { filter: {}, limit: 9 });
    expect(executions).toMatchObject([{ status: "closed", settled: true, amount: "0", cost: "0" }]);
  });
});
