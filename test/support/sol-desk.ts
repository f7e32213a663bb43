import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { Address } from "@solana/web3.js";
import type { TestSurfnet } from "trading-terminal-devnet/sol/test-surfnet";
import { tokenAccountOf } from "../../lib/chains/sol/calls/addresses.ts";
import type { TokenKey } from "../../lib/chains/sol/calls/token-balances.ts";
import type { SolConfiguration } from "../../lib/chains/sol/rules/configuration.ts";
import type { Landings } from "../../lib/chains/sol/rules/landings.ts";
import { dayOf } from "../../lib/core/time.ts";
import type { PlaceOrderRequest } from "../../lib/orders/trade-request.ts";
import type { Table } from "../../lib/table/table.ts";
import { cancelOrder } from "../../lib/trading/cancel-order.ts";
import { chainEffects } from "../../lib/trading/execution/chain-effects.ts";
import { executeOrders, type Signer } from "../../lib/trading/execution/execute-orders.ts";
import type { Broadcast } from "../../lib/trading/execution/first-broadcasts.ts";
import { lookEffects } from "../../lib/trading/execution/look-effects.ts";
import { type Performers, runProcedure } from "../../lib/trading/execution/run-procedure.ts";
import { tableEffects } from "../../lib/trading/execution/table-effects.ts";
import type { WakeEvent } from "../../lib/trading/execution/wake-effect.ts";
import { getOrder } from "../../lib/trading/get-order.ts";
import { readLane } from "../../lib/trading/items/views.ts";
import { placeOrder } from "../../lib/trading/place-order.ts";
import { newReader, readChain } from "../../lib/trading/procedures/reading.ts";
import { checksBy } from "../../lib/trading/signing/intent-mac.ts";
import { signOnRequest } from "../../lib/trading/signing/sign-transaction.ts";
import { RunEvents } from "./run-events.ts";
import { ignoredNotes, type Keys, openKeys, putSealedWallet } from "./signing.ts";
import { solReaderOf, type TestSolHost } from "./sol-reader.ts";
import type { Caller } from "./trading-desk.ts";

type Setup = { table: Table; chain: TestSurfnet; hosts: readonly TestSolHost[] };

type Options = {
  configuration?: Partial<SolConfiguration>;
  keys?: Keys;
  userID?: string;
  lamports?: bigint;
  /** Returns the table as each function sees it. */
  tableOf?: (caller: Caller) => Table;
};

/** Time after which the facts of an order's placing are too old, so that its first run asks the hosts. */
export const tooOldMs = 3000;

const nothing = async () => undefined;

/** Sets up a user with a wallet of ten coins who trades through the use cases on a real chain and a real table. */
export async function openSolDesk({ table, chain, hosts }: Setup, options: Options = {}) {
  const { configuration = {}, keys = openKeys(), userID = randomUUID(), tableOf = () => table } = options;
  const key = await chain.newWallet(options.lamports ?? 10n ** 10n);
  const wallet = key.address;
  const lane = { chain: "sol", wallet } as const;
  const opened = await solReaderOf(chain, hosts, { payer: chain.deployment.payer, ...configuration });
  const faults: string[] = [];
  const reader = { ...opened, onJupiterFault: (fault: unknown) => void faults.push((fault as Error).name) };
  const chains = new Map([["sol", reader]] as const);
  const trading = { sol: reader.configuration };
  const { vault, macs, childMacs } = keys;
  let woken = 0;
  const events = new RunEvents(lane);
  const wake: NonNullable<Performers["wake"]> = (ask) => {
    woken++;
    events.note(ask);
    return undefined;
  };
  const plain = {
    ...tableEffects(tableOf("executeOrders")),
    ...chainEffects(chains),
    ...lookEffects(chains),
    now: () => Date.now(),
    wake,
  };
  const ofSigner = { table: tableOf("signTransaction"), vault, checks: checksBy(macs, childMacs) };
  const signing = { ...ofSigner, chains: trading, ...ignoredNotes() };
  const landings: Landings[] = [];
  const broadcasts: Broadcast[] = [];
  const signer: Signer = (request) => signOnRequest(signing, request);
  const changes = {
    /** Wraps executeOrders' effects, for example to make them fail. */
    wrap: (effects: Performers): Performers => effects,
    /** Milliseconds by which executeOrders' clock is ahead, because a crashed run keeps the lane for half a minute. */
    aheadMs: 0,
  };
  const work = async (event: WakeEvent = events.next()): Promise<void> => {
    const effects = changes.wrap({ ...plain, sign: ({ request }) => signer(request) });
    const sign = effects.sign as NonNullable<Performers["sign"]>;
    const nowMs = () => Date.now() + changes.aheadMs;
    const reports = {
      onLandings: (each: Landings) => void landings.push(each),
      onBroadcast: (each: Broadcast) => void broadcasts.push(each),
    };
    const deps = {
      effects,
      trading,
      recordsEarnings: true,
      startReader: nothing,
      onFault: nothing,
      ...reports,
      nowMs,
    };
    await executeOrders({ ...deps, signer: async (request) => sign({ request }) }, event);
  };
  await putSealedWallet({ table, vault }, lane, userID, Buffer.from(key.seed).toString("hex"));
  const isDone = async () => (await readLane(table, { lane, day: dayOf(Date.now()) })).lane === undefined;
  const watchAndWork = async () => {
    woken = Number(events.isWaiting);
    await runProcedure(readChain("sol", newReader()), { ...plain, now: () => Date.now() + changes.aheadMs });
    if (woken > 0) await work();
  };
  return Object.assign(changes, {
    userID,
    wallet,
    lane,
    work,
    watchAndWork,
    isDone,
    wake,
    landings,
    broadcasts,
    faults,
    signer,
    ask: (asked: Partial<PlaceOrderRequest>, idempotencyKey: string = randomUUID(), now = new Date()) => {
      const { mint: token } = chain.deployment.tokens.MOON;
      const body = { ...lane, type: "market", side: "buy", token, ...asked } as PlaceOrderRequest;
      return placeOrder(
        {
          table: tableOf("placeOrder"),
          tableId: "table",
          chains,
          macs,
          wake,
          lossSignIn: false,
          startTriggers: () => undefined,
        },
        { userID, now, signedInAt: undefined, key: idempotencyKey, body },
      );
    },
    /** Runs the lane like a reader that noticed missing MOON of the user's position. */
    workMissed: () => work({ ...lane, missed: { userID, token: chain.deployment.tokens.MOON.mint } }),
    /** Moves MOON out of the wallet until this amount remains. */
    async keepUnits(units: bigint): Promise<void> {
      const { mint, program } = chain.deployment.tokens.MOON;
      const address = await tokenAccountOf(wallet, mint, program);
      const account = await accountAt(address);
      const data = Buffer.from(account?.data[0] ?? "", "base64");
      data.writeBigUInt64LE(units, 64);
      await chain.request("surfnet_setAccount", [address, { data: data.toString("hex") }]);
    },
    cancel: (orderId: string) => cancelOrder({ table: tableOf("cancelOrder"), wake }, userID, orderId),
    read: (orderId: string) => getOrder(table, userID, orderId),
    /** Runs the lane like a reader until it has ended. */
    async settle(patienceMs = 60_000): Promise<void> {
      for (const endMs = Date.now() + patienceMs; Date.now() < endMs; await pause(200)) {
        if (await isDone()) return;
        await watchAndWork();
      }
      throw new Error("The lane did not end");
    },
    coins: async () => BigInt((await accountAt(wallet))?.lamports ?? 0),
    async units({ mint, program }: TokenKey = chain.deployment.tokens.MOON): Promise<bigint> {
      const account = await accountAt(await tokenAccountOf(wallet, mint, program));
      return account === undefined ? 0n : Buffer.from(account.data[0], "base64").readBigUInt64LE(64);
    },
  });

  async function accountAt(address: Address) {
    const options = { encoding: "base64", commitment: "confirmed" };
    const { value } = (await chain.request("getAccountInfo", [address, options])) as {
      value: { lamports: number; data: [string] } | null;
    };
    return value ?? undefined;
  }
}

export type SolDesk = Awaited<ReturnType<typeof openSolDesk>>;
