import { localAddresses } from "trading-terminal-devnet/evm/deployment";
import type { TestChain } from "trading-terminal-devnet/evm/test-chain";
import { evmEffects } from "../../lib/chains/evm/look.ts";
import type { snapshotOfEvm } from "../../lib/chains/evm/looks/snapshot-of-host.ts";
import { openEvmChains } from "../../lib/chains/families/open-chains.ts";
import { dayOf } from "../../lib/core/time.ts";
import type { Order } from "../../lib/orders/execution.ts";
import type { PlaceOrderRequest } from "../../lib/orders/trade-request.ts";
import type { Table } from "../../lib/table/table.ts";
import { walletOwnerKey } from "../../lib/table/wallet-keys.ts";
import { cancelOrder } from "../../lib/trading/cancel-order.ts";
import { childEffects, effectsOfChains } from "../../lib/trading/execution/chain-effects.ts";
import { executeOrders, type Signer } from "../../lib/trading/execution/execute-orders.ts";
import type { Broadcast } from "../../lib/trading/execution/first-broadcasts.ts";
import { lookEffects } from "../../lib/trading/execution/look-effects.ts";
import { type Performers, runProcedure } from "../../lib/trading/execution/run-procedure.ts";
import { tableEffects } from "../../lib/trading/execution/table-effects.ts";
import type { WakeEvent } from "../../lib/trading/execution/wake-effect.ts";
import { getOrder } from "../../lib/trading/get-order.ts";
import { readLane } from "../../lib/trading/items/views.ts";
import { placeAutomatic } from "../../lib/trading/place-automatic.ts";
import { placeOrder } from "../../lib/trading/place-order.ts";
import { newReader, readChain } from "../../lib/trading/procedures/reading.ts";
import { checksBy } from "../../lib/trading/signing/intent-mac.ts";
import { signOnRequest } from "../../lib/trading/signing/sign-transaction.ts";
import { putItems } from "./items.ts";
import { newEvmKey } from "./keys.ts";
import { RunEvents } from "./run-events.ts";
import { ignoredNotes, type Keys, openKeys, putSealedWallet } from "./signing.ts";

/** Functions that access the table. */
export type Caller = "placeOrder" | "cancelOrder" | "executeOrders" | "signTransaction";

type Changes = {
  userID?: string;
  maxOrder?: string;
  maxNetworkFee?: string;
  maxNetworkFeesPerDay?: string;
  /** Requires a fresh sign-in for orders that could lose much. `signedInAt` is the time of the user's sign-in. */
  lossSignIn?: boolean;
  signedInAt?: Date;
  /** Queries a host of executeOrders about a wallet. */
  see?: typeof snapshotOfEvm;
  /** Returns the table as a function sees it. */
  tableOf?: (caller: Caller) => Table;
  /** Keys in a KMS. Creates new ones by default. */
  keys?: Keys;
  /** An existing wallet to use. */
  account?: { address: string; privateKey: string };
};
type Asked = Partial<PlaceOrderRequest>;

export type TradingDesk = Awaited<ReturnType<typeof openDesk>>;

let count = 0;

const nothing = async () => undefined;
const ignore = () => undefined;

/** Sets up a user with a wallet of 100 coins who trades through the use cases on a real chain and a real table. */
export async function openDesk(table: Table, chain: TestChain, changes: Changes = {}) {
  const {
    userID = `trader${++count}`,
    tableOf = () => table,
    keys = openKeys(),
    see,
    signedInAt,
    account,
    ...others
  } = changes;
  const { lossSignIn = false, ...rest } = others;
  const { address: wallet, privateKey } = account ?? newEvmKey();
  const lane = { chain: chain.chain, wallet } as const;
  // Uses one host twice, so that both hosts agree.
  const configuration = { ...chain.contracts, hosts: [chain.url, chain.url], ...rest };
  const trading = { [chain.chain]: configuration };
  const chains = openEvmChains(trading);
  const { vault, macs, childMacs } = keys;
  let woken = 0;
  const events = new RunEvents(lane);
  const wake: NonNullable<Performers["wake"]> = (ask) => {
    woken++;
    events.note(ask);
    return undefined;
  };
  const effects = {
    ...tableEffects(tableOf("executeOrders")),
    ...effectsOfChains(new Map([...chains].map(([each, reader]) => [each, evmEffects(reader, see)]))),
    ...childEffects(chains),
    ...lookEffects(chains),
    now: () => Date.now(),
    wake,
  };
  const signing = {
    table: tableOf("signTransaction"),
    vault,
    checks: checksBy(macs, childMacs),
    chains: trading,
    ...ignoredNotes(),
  };
  const signer: Signer = (request) => signOnRequest(signing, request);
  const deps = {
    table: tableOf("placeOrder"),
    tableId: "table",
    chains,
    macs,
    wake,
    lossSignIn,
    startTriggers: nothing,
  };
  const broadcasts: Broadcast[] = [];
  const work = (by: Signer = signer, afterMs = 0, event: WakeEvent = events.next()) => {
    const nowMs = () => Date.now() + afterMs;
    const onBroadcast = (each: Broadcast) => void broadcasts.push(each);
    const reports = { onFault: nothing, onLandings: ignore, onBroadcast };
    const deps = { effects, signer: by, trading, recordsEarnings: true, startReader: nothing };
    return executeOrders({ ...deps, ...reports, nowMs }, event);
  };
  /** Places a request under a new key, by default to buy MOON. Null sends no key. */
  const ask = (asked: Asked, key: string | null = `k-${++count}`, receivedMs?: number) => {
    const { moon: token } = localAddresses;
    const body = { ...lane, type: "market", side: "buy", token, ...asked } as const;
    const request = { userID, now: new Date(), receivedMs, signedInAt };
    return placeOrder(deps, { ...request, key: key ?? undefined, body });
  };
  /** Asks for an automatic buy of MOON under a new key, by default with the preset's wallet. */
  const askAutomatic = (asked: { wallet?: string; token?: string } = {}, key = `k-${++count}`) => {
    const body = { auto: "buy", chain: lane.chain, token: localAddresses.moon, ...asked } as const;
    return placeAutomatic(deps, { userID, now: new Date(), signedInAt, key, body });
  };
  const watchAndWork = async () => {
    woken = Number(events.isWaiting);
    await runProcedure(readChain(lane.chain, newReader()), effects);
    if (woken > 0) await work();
    return woken > 0;
  };

  await chain.request("anvil_setBalance", [wallet, `0x${(100n * 10n ** 18n).toString(16)}`]);
  await putSealedWallet({ table, vault }, lane, userID, privateKey);
  await putItems(table, [{ ...walletOwnerKey(userID, lane.chain, wallet), userID }]);
  return {
    userID,
    wallet,
    lane,
    macs,
    wake,
    ask,
    askAutomatic,
    /** What placing needs. */
    placing: deps,
    broadcasts,
    async place(asked: Asked, key?: string, receivedMs?: number): Promise<Order> {
      const placed = await ask(asked, key, receivedMs);
      if (!("order" in placed)) throw new Error("It was not placed");
      return placed.order;
    },
    cancel: (orderId: string) => cancelOrder({ table: tableOf("cancelOrder"), wake }, userID, orderId),
    read: (orderId: string) => getOrder(table, userID, orderId),
    signer,
    /** Takes the event with which the next run of executeOrders starts. */
    nextEvent: () => events.next(),
    /** Runs executeOrders once after this many milliseconds. */
    work,
    /** Runs the lane like a reader that noticed missing tokens of a user's position. */
    workMissed: (token: string, by = userID) => work(signer, 0, { ...lane, missed: { userID: by, token } }),
    /** Stores the wallet for another user who also knows its key. Returns that user's desk. */
    shareWith: (friend: string) =>
      openDesk(table, chain, { ...changes, userID: friend, account: { address: wallet, privateKey } }),
    /** Runs executeOrders once, late enough that it must query the hosts. */
    workLate: () => work(signer, 3000),
    /** Looks at the chain like a reader, and runs the lane if that wakes it or if a new order does. */
    watchAndWork,
    /** Mines blocks until the lane has ended. */
    async settle(): Promise<void> {
      for (let blocks = 0; blocks < 12; blocks++) {
        if ((await readLane(table, { lane, day: dayOf(Date.now()) })).lane === undefined) return;
        await chain.mine();
        await watchAndWork();
      }
      throw new Error("The lane did not end");
    },
    coins: async () => BigInt((await chain.request("eth_getBalance", [wallet, "latest"])) as string),
    held: async (token: string = localAddresses.moon) =>
      BigInt(await chain.call(token, `0x70a08231${wallet.slice(2).padStart(64, "0")}`)),
  };
}
