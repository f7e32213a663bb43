import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { Evm } from "../../../../lib/chains/evm/rules/family.ts";
import type { EvmIntent, UnsignedEvmTransaction } from "../../../../lib/chains/evm/rules/intent.ts";
import { signEvmTransaction } from "../../../../lib/chains/evm/rules/sign.ts";
import type { EvmSlot } from "../../../../lib/chains/evm/rules/slot.ts";
import { cancelling } from "../../../../lib/orders/cancelling.ts";
import type { Effects, Question, SignRequest } from "../../../../lib/orders/effects.ts";
import type { LaneKey } from "../../../../lib/orders/intent.ts";
import type { TradeOrder } from "../../../../lib/orders/trade-order.ts";
import { everythingOf } from "../../../../lib/table/keys.ts";
import { type Item, queryRange, type Table } from "../../../../lib/table/table.ts";
import { walletKey } from "../../../../lib/table/wallet-keys.ts";
import { type Performers, runProcedure } from "../../../../lib/trading/execution/run-procedure.ts";
import { tableEffects } from "../../../../lib/trading/execution/table-effects.ts";
import { contentOf } from "../../../../lib/trading/items/items.ts";
import { slotsInLane } from "../../../../lib/trading/items/keys.ts";
import { readSigning } from "../../../../lib/trading/items/signing-view.ts";
import { readPlacing } from "../../../../lib/trading/items/views.ts";
import { writeStep } from "../../../../lib/trading/items/write-step.ts";
import { type PlaceAnswer, type PlaceRequest, placing } from "../../../../lib/trading/procedures/placing.ts";
import { type RunStart, workLane } from "../../../../lib/trading/procedures/work-lane.ts";
import { putItems } from "../../../support/items.ts";
import {
  draftOf,
  type PlainRequest,
  placeRequest,
  quoteFrom,
  setupName,
} from "../../../support/place-request.ts";
import { wideLimits } from "../../../support/trading.ts";
import { mainRoute, poolOf, type State, spenderOf } from "../../model/ledger-state.ts";
import { ModelChain } from "../../model/model-chain.ts";
import { Random } from "../../model/random.ts";

const startMs = Date.UTC(2026, 10, 21, 20);

export const coinsAtStart = 10n ** 9n;
export const tokensAtStart = 30_000n;

const genesisOf = (wallet: string): State => ({
  accounts: new Map([
    [
      wallet,
      {
        nonce: 0,
        coins: coinsAtStart,
        tokens: new Map([["MOON", tokensAtStart]]),
        allowances: new Map([[spenderOf("MOON", mainRoute("MOON")), 1000n]]),
      },
    ],
  ]),
  pools: new Map([[poolOf("MOON", mainRoute("MOON")), { coins: 10n ** 6n, tokens: 10n ** 8n }]]),
  strayCoins: 0n,
});

/** Sorts fields by name, because the table returns them in a different order. */
const macOf = (intent: EvmIntent) => `MAC of ${Object.entries(intent).toSorted().join()}`;

let count = 0;

/** Wraps the effects of all participants on the bench. */
export type Wrap = (performers: Performers) => Performers;

/** A user's wallet on a chain in memory and in a real table, with a signer that has its key. */
export class LaneBench {
  readonly lane: LaneKey;
  readonly userID: string;
  readonly chain: ModelChain;
  nowMs = startMs;
  /** Start of the next run, as the placing left it. */
  start: RunStart = {};
  /** True once a step has ended the lane. */
  isDone = false;
  wrap: Wrap = (same) => same;
  readonly table: Table;

  constructor(table: Table, wallet?: string) {
    this.table = table;
    const name = `bench${++count}`;
    this.userID = name;
    this.lane = { chain: "eth", wallet: wallet ?? `0x${name}` };
    this.chain = new ModelChain(new Random(count), genesisOf(this.lane.wallet), startMs / 1000);
  }

  async open(): Promise<this> {
    await this.addUser(this.userID);
    return this;
  }

  /** A second user who has the wallet's key. */
  addUser(userID: string): Promise<void> {
    const { chain, wallet } = this.lane;
    return putItems(this.table, [{ ...walletKey(userID, chain, wallet) }]);
  }

  /** Pauses the next run before it performs the effect with this name for the n-th time. */
  stopAt(name: keyof Effects, number: number): { reached: Promise<void>; goOn: () => void } {
    const reached = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    let left = number;
    this.wrap = (performers) => ({
      ...performers,
      [name]: async (ask: object) => {
        if (--left === 0) {
          reached.resolve();
          await gate.promise;
        }
        return (performers[name] as (ask: object) => unknown)(ask);
      },
    });
    return { reached: reached.promise, goOn: gate.resolve };
  }

  /** Stops the next run before the signer, and returns its request. */
  async askedSigner(): Promise<SignRequest<Evm>> {
    const asked = Promise.withResolvers<SignRequest<Evm>>();
    this.wrap = (performers) => ({
      ...performers,
      sign: ({ request }) => {
        asked.resolve(request as SignRequest<Evm>);
        return { later: "the executor is interrupted" };
      },
    });
    await this.work();
    this.wrap = (same) => same;
    return asked.promise;
  }

  /** Reads all items of these users, including orders. */
  async itemsOf(users: readonly string[]): Promise<Item<object>[]> {
    const ranges = users.flatMap(everythingOf);
    const items = await Promise.all(ranges.map((range) => queryRange<object>(this.table, range)));
    return items.flat();
  }

  /** Reads all orders of these users. */
  async ordersOf(users: readonly string[]): Promise<TradeOrder<Evm>[]> {
    const items = await this.itemsOf(users);
    return items.flatMap((item) =>
      item.SK.startsWith("TRADE#") ? [contentOf("order", item) as TradeOrder<Evm>] : [],
    );
  }

  slots(): Promise<EvmSlot[]> {
    return queryRange<object>(this.table, slotsInLane(this.lane)).then((items) =>
      items.map((item) => contentOf("slot", item) as EvmSlot),
    );
  }

  /** Performs the effects, ignoring `wrap`. */
  plainEffects(table = this.table): Performers {
    return {
      ...tableEffects(table),
      readSigning: async (ask) => {
        const { view } = await readSigning(table, ask);
        const { claimed } = ask.request;
        const isClaimGenuine = claimed?.mac === macOf(claimed?.intent as EvmIntent);
        return { ...view, chainLimits: wideLimits, isClaimGenuine };
      },
      readPlacing: (ask) => readPlacing(table, ask),
      quote: ({ question }) => {
        const draft = draftOf(question);
        const asked = { ...this.lane, hashes: [], orders: [draft] };
        const quoteBy = (host: 0 | 1) => quoteFrom(this.chain.hostSnapshot(host, asked), draft);
        return [quoteBy(0), quoteBy(1)];
      },
      now: () => this.nowMs,
      // Lets time pass, so that other participants can run.
      pause: async ({ ms }) => {
        this.nowMs += ms;
        await pause(0);
        return undefined;
      },
      hostSnapshot: ({ host, question }) => this.chain.hostSnapshot(host, question as Question<Evm>),
      send: ({ raw, to }) => this.chain.send(raw, to),
      sign: ({ request }) =>
        runProcedure(signEvmTransaction(request as SignRequest<Evm>), this.effects(table)),
      write: async ({ step }) => {
        const isWritten = await writeStep(table, step);
        if (isWritten && step.some((write) => write.kind === "remove" && write.of === "lane"))
          this.isDone = true;
        return isWritten;
      },
      wake: ({ job, reservation }) => {
        this.start = { job, reservation: reservation ?? this.start.reservation };
        return undefined;
      },
      readParent: () => undefined,
      readResting: () => [],
      makeMac: ({ intent }) => macOf(intent as EvmIntent),
      checkMac: ({ intent, mac }) => mac === macOf(intent as EvmIntent),
      signBytes: ({ unsigned }) => this.chain.sign(unsigned as UnsignedEvmTransaction),
    };
  }

  effects(table = this.table): Performers {
    return this.wrap(this.plainEffects(table));
  }

  request(changes: Partial<PlainRequest> = {}): PlaceRequest {
    const side = changes.side ?? "buy";
    return placeRequest({
      wallet: this.lane.wallet,
      orderId: `order${++count}`,
      userID: this.userID,
      side,
      token: "MOON",
      amount: side === "buy" ? 500n : 20_000n,
      maxGasPrice: 200n,
      gasPreset: "medium",
      isPrivate: false,
      validUntil: startMs / 1000 + 600,
      key: "k-1",
      fingerprint: side,
      slippage: 10,
      nowMs: this.nowMs,
      ...changes,
    });
  }

  place(request: PlaceRequest): Promise<PlaceAnswer> {
    return runProcedure(placing(request), this.effects());
  }

  cancel(orderId: string, userID = this.userID) {
    return runProcedure(cancelling(userID, orderId), this.effects());
  }

  /** Runs executeOrders once. */
  work(table = this.table): Promise<void> {
    const run = workLane(this.lane, randomUUID(), wideLimits, setupName, this.start);
    this.start = {};
    return runProcedure(run, this.effects(table));
  }

  mine(blocks = 1): void {
    for (let mined = 0; mined < blocks; mined++) {
      this.nowMs += 12_000;
      this.chain.mine(Math.floor(this.nowMs / 1000), true);
    }
  }
}
