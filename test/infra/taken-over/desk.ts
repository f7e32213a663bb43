import { getAddress } from "ethers/address";
import { alice } from "trading-terminal-devnet/evm/test-chain";
import { afterAll, beforeAll } from "vitest";
import type { Evm } from "../../../lib/chains/evm/rules/family.ts";
import type { EvmIntent } from "../../../lib/chains/evm/rules/intent.ts";
import { directRoutesOf } from "../../../lib/chains/evm/venues/configured-routes.ts";
import { defaultChains } from "../../../lib/infra/default-chains.ts";
import { cancelling } from "../../../lib/orders/cancelling.ts";
import type { SignAnswer, SignRequest } from "../../../lib/orders/effects.ts";
import type { LaneKey } from "../../../lib/orders/intent.ts";
import type { TradeOrder } from "../../../lib/orders/trade-order.ts";
import { openPolicy } from "../../../lib/orders/wallet-policy.ts";
import type { Table } from "../../../lib/table/table.ts";
import { runProcedure } from "../../../lib/trading/execution/run-procedure.ts";
import { tableEffects } from "../../../lib/trading/execution/table-effects.ts";
import { tradingStopKey } from "../../../lib/trading/items/keys.ts";
import { writeStep } from "../../../lib/trading/items/write-step.ts";
import { checksBy } from "../../../lib/trading/signing/intent-mac.ts";
import { readSignRequest, signPayload } from "../../../lib/trading/signing/sign-payload.ts";
import { signOnRequest } from "../../../lib/trading/signing/sign-transaction.ts";
import { type Engine, engineStart, startTable } from "../../support/dynamodb.ts";
import { itemsNamed, putItems } from "../../support/items.ts";
import { placing, putPolicy } from "../../support/placed-orders.ts";
import { readSigned, Theft } from "../../support/signed-bytes.ts";
import { ignoredNotes, openKeys, putSealedWallet, sealedKey } from "../../support/signing.ts";
import { intent, tradeOrder, v2, v2OverUSDC, v3, v3OverUSDC } from "../../support/trading.ts";

export const nowMs = Date.parse("2026-11-21T20:00:00.000Z");
export const dai = "0x6B175474E89094C44Da98b954EedeAC495271d0F";
/** A worthless token that belongs to Mallory. */
export const worthless = getAddress(`0x${"ad".repeat(20)}`);

/** Another account of anvil. */
export const mallory = {
  address: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
  privateKey: "0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d",
};

const lane = (wallet: string, chain: LaneKey["chain"] = "eth") => ({ chain, wallet });

const sale = { side: "sell", amount: 10n ** 21n, minAmountOut: 10n ** 17n } as const;

/** Orders of the users. Alice and Bob have the same wallet. Mallory is a user as well, and buys a worthless token. */
const ordered: Readonly<Record<string, Partial<EvmIntent>>> = {
  ALICEBUYS: { userID: "alice", ...lane(alice.address) },
  ALICESELLS: { userID: "alice", ...lane(alice.address), ...sale, routes: [v3, v2, v2OverUSDC] },
  ALICEBUYSONBASE: {
    userID: "alice",
    ...lane(alice.address, "base"),
    routes: directRoutesOf(defaultChains.base).slice(0, 1),
  },
  ALICEBUYSMORE: { userID: "alice", ...lane(alice.address) },
  ALICEBUYSAGAIN: { userID: "alice", ...lane(alice.address), routes: [v2, v3OverUSDC] },
  ALICEOVERSPENDS: { userID: "alice", ...lane(alice.address), amount: 2n * intent().amount },
  ALICECANCELS: { userID: "alice", ...lane(alice.address) },
  ALICEISLATE: { userID: "alice", ...lane(alice.address), validUntil: nowMs / 1000 - 1 },
  BOBBUYS: { userID: "bob", ...lane(alice.address), routes: [v2] },
  MALLORYBUYS: {
    userID: "mallory",
    ...lane(mallory.address),
    token: worthless,
    amount: 10n ** 24n,
    minAmountOut: 1n,
  },
};

const forbidden = ["ALICECANCELS", "ALICEISLATE", "ALICEBUYSONBASE", "ALICEOVERSPENDS"];

/** Alice's policy on eth, which allows two buys and their fees a day. */
const policy = { ...openPolicy, maxPerOrder: intent().amount, maxPerDay: (5n * intent().amount) / 2n };
export const policyOfAlice = { userID: "alice", ...lane(alice.address), policy, revision: 1 };

/** Runs the real signer on a real table with orders in it, and records its signatures. */
export class SigningDesk {
  readonly orders: readonly TradeOrder<Evm>[];
  /** Signatures of each order. */
  readonly signed = new Map<string, { swaps: Map<number, Set<string>>; approvals: Set<number> }>();
  /** Alice's spending on eth, for each order. */
  readonly #spent = new Map<string, bigint>();
  signatures = 0;
  refusals = 0;
  readonly table: Table;
  readonly #keys: ReturnType<typeof openKeys>;

  private constructor(table: Table, keys: ReturnType<typeof openKeys>, orders: readonly TradeOrder<Evm>[]) {
    this.table = table;
    this.#keys = keys;
    this.orders = orders;
  }

  static async open(table: Table): Promise<SigningDesk> {
    const keys = openKeys();
    const { vault, macs } = keys;
    for (const [userID, { privateKey, address }] of [
      ["alice", alice],
      ["bob", alice],
      ["mallory", mallory],
    ] as const)
      for (const chain of ["eth", "base"] as const)
        await putSealedWallet({ table, vault }, lane(address, chain), userID, privateKey);
    const orders = await Promise.all(
      Object.entries(ordered).map(async ([name, changes]) => {
        const own = intent({ token: dai, isPrivate: false, ...changes, orderId: name.padEnd(26, "0") });
        return tradeOrder({ intent: own, amount: own.amount, mac: await macs.makeMac(own) });
      }),
    );
    for (const order of orders) await writeStep(table, placing(order));
    const desk = new SigningDesk(table, keys, orders);
    await desk.cancel("ALICECANCELS");
    await putItems(table, [tradingStopKey("base")]);
    await putPolicy(table, policyOfAlice);
    return desk;
  }

  /** Copies the desk, without its signatures, to a table with the same items. */
  before(table: Table): SigningDesk {
    return new SigningDesk(table, this.#keys, this.orders);
  }

  /**
   * Moves the desk, with its record of signatures, to a table that replaces its own. MACs name the id of their table.
   */
  movedTo(table: Table, tableId: string): SigningDesk {
    const moved = new SigningDesk(
      table,
      { ...this.#keys, macs: this.#keys.macsOfTable(tableId) },
      this.orders,
    );
    for (const [orderId, own] of this.signed) moved.signed.set(orderId, own);
    return moved;
  }

  named(name: string): TradeOrder<Evm> {
    return this.orders.find(({ intent: own }) => own.orderId.startsWith(name)) as TradeOrder<Evm>;
  }

  /** Makes an order like an intruder in placeOrder: with a valid MAC over any intent. */
  async forge(changes: Partial<EvmIntent>): Promise<TradeOrder<Evm>> {
    const own = intent({ isPrivate: false, ...changes });
    return tradeOrder({ intent: own, amount: own.amount, mac: await this.#keys.macs.makeMac(own) });
  }

  /** Seals a private key for a wallet of Alice's, as a function that may create data keys could. */
  sealForAlice(privateKey: string) {
    const secret = Buffer.from(privateKey.replace("0x", ""), "hex");
    return sealedKey(this.#keys.vault, lane(alice.address), "alice", secret);
  }

  async cancel(name: string): Promise<void> {
    const { userID, orderId } = this.named(name).intent;
    const effects = { ...tableEffects(this.table), now: () => nowMs, wake: () => undefined };
    await runProcedure(cancelling(userID, orderId), effects);
  }

  /**
   * Sends a request to the signer, like an invocation of its function.
   *
   * @throws {Theft} if it signs a transaction that no user ordered, or signs twice.
   */
  async ask(asked: SignRequest<Evm>): Promise<SignAnswer<Evm> | undefined> {
    const request = readSignRequest(signPayload(asked));
    if (request === undefined) return undefined;
    const { vault, macs, childMacs } = this.#keys;
    const notes = { ...ignoredNotes(), onRefused: () => void this.refusals++ };
    const deps = {
      table: this.table,
      vault,
      checks: checksBy(macs, childMacs),
      chains: { ...defaultChains, eth: { ...defaultChains.eth, maxOrder: "1000000" } },
      nowMs: () => nowMs,
    };
    // Ignores failures, which invalid data in the table may cause.
    const answer = await signOnRequest({ ...deps, ...notes }, request).catch(() => undefined);
    const raw = answer && "slot" in answer ? answer.raw : "";
    if (raw.startsWith("0x02")) this.#judge(raw, request as SignRequest<Evm>);
    return answer as SignAnswer<Evm> | undefined;
  }

  #judge(raw: string, { orderId, chain }: SignRequest<Evm>): void {
    const order = this.orders.find(({ intent: own }) => own.orderId === orderId);
    if (order === undefined) throw new Theft("signed for an order that nobody has placed");
    const { purpose, nonce, act } = readSigned(raw, order.intent, defaultChains[chain as "eth"]);
    this.signatures++;
    const isForbidden = forbidden.some((name) => orderId.startsWith(name));
    if (purpose !== "clear" && isForbidden)
      throw new Theft("signed for an order that has ended, or is too large");
    const own = this.signed.get(orderId) ?? { swaps: new Map(), approvals: new Set() };
    this.signed.set(orderId, own);
    if (purpose === "swap") own.swaps.set(nonce, (own.swaps.get(nonce) ?? new Set()).add(act));
    if (purpose === "approve") own.approvals.add(nonce);
    const [, value = "0"] = act.split(",");
    if (order.intent.userID === "alice" && chain === "eth") this.#spent.set(orderId, BigInt(value));
    const spent = [...this.#spent.values()].reduce((sum, each) => sum + each, 0n);
    if (spent > policy.maxPerDay) throw new Theft("signed more than the wallet may spend in a day");
    const acts = [...own.swaps.values()].flatMap((each) => [...each]);
    if (acts.length > 1) throw new Theft("signed another swap for the same order");
    if (own.approvals.size > 2) throw new Theft("signed more approvals than an order needs");
    if (purpose === "clear" && !own.swaps.has(nonce) && !own.approvals.has(nonce))
      throw new Theft("cleared a nonce that belongs to another program");
  }
}

/** Opens a desk for the tests of a file. Returns a function that copies the desk to a new table. */
export function desksForTests(): () => Promise<SigningDesk> {
  let engine: Engine;
  let first: SigningDesk;
  let items: Awaited<ReturnType<typeof itemsNamed>>;
  beforeAll(async () => {
    engine = await startTable();
    first = await SigningDesk.open(engine.table);
    items = await itemsNamed(engine.table, "");
  }, engineStart);
  afterAll(() => engine.stop());
  return async () => {
    const table = await engine.newTable();
    await putItems(table, items);
    return first.before(table);
  };
}
