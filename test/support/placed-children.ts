import type { Evm } from "../../lib/chains/evm/rules/family.ts";
import { type EvmIntent, swapBy } from "../../lib/chains/evm/rules/intent.ts";
import { hashedId } from "../../lib/core/record-ids.ts";
import { dayOf } from "../../lib/core/time.ts";
import { defaultChains } from "../../lib/infra/default-chains.ts";
import type { SignRequest } from "../../lib/orders/effects.ts";
import type { DeadChild, Leg, Mandate } from "../../lib/orders/resting/mandate.ts";
import type { Items, ItemWrite } from "../../lib/orders/table-step.ts";
import { getItems } from "../../lib/table/batch-get.ts";
import type { Key } from "../../lib/table/keys.ts";
import type { Table } from "../../lib/table/table.ts";
import { keysOfItems, packed } from "../../lib/trading/items/items.ts";
import { parsed } from "../../lib/trading/items/signing-schemas.ts";
import { writeStep } from "../../lib/trading/items/write-step.ts";
import { checksBy, mandateHash } from "../../lib/trading/signing/intent-mac.ts";
import { readSignRequest, signPayload } from "../../lib/trading/signing/sign-payload.ts";
import { type SigningDeps, signOnRequest } from "../../lib/trading/signing/sign-transaction.ts";
import { mandate as anyMandate } from "../orders/resting/fixtures.ts";
import { putItems } from "./items.ts";
import { newEvmKey } from "./keys.ts";
import { ignoredNotes, openKeys, putSealedWallet } from "./signing.ts";
import { intent, slot, tradeOrder, v2 } from "./trading.ts";

/** Time of the children. */
export const childMs = Number(intent().createdAt);
const seconds = childMs / 1000;
const token = "0x6B175474E89094C44Da98b954EedeAC495271d0F";

/** The private keys of wallets, by address. */
const privateKeys = new Map<string, string>();

function newWallet(): string {
  const { address, privateKey } = newEvmKey();
  privateKeys.set(address, privateKey);
  return address;
}

let count = 0;

/** Makes the mandate of a new user on eth, who buys at 9,000 tokens a coin or more. */
export function newMandate(changes: Partial<Mandate> = {}): Mandate {
  return anyMandate({
    chain: "eth",
    wallet: newWallet(),
    userID: `user${++count}`,
    orderId: `parent${count}`,
    side: "buy",
    token,
    amount: intent().amount,
    legs: [{ kind: "limit", price: { coins: 1n, tokens: 9000n } }],
    isPrivate: true,
    feesLimit: 10n ** 18n,
    feesStop: 10n ** 18n,
    maxGasPrice: intent().maxGasPrice,
    createdAt: childMs - 60_000,
    expiresAt: seconds + 3600,
    ...changes,
  });
}

const coinFor = (tokens: bigint) => ({ coins: 1n, tokens });

/** A take-profit, and a stop that sells ten of the smallest units of the coin or more. */
const pair: readonly Leg[] = [
  { kind: "limit", price: coinFor(10n ** 20n) },
  { kind: "stop", trigger: coinFor(10n ** 21n), worst: coinFor(10n ** 22n) },
];

/** Makes the mandate of a sale with a take-profit and a stop. */
export const newPair = (): Mandate => newMandate({ side: "sell", amount: 10n ** 21n, legs: pair });

export const parentOf = (of: Mandate, { leg = 0, n = 1 } = {}) => ({
  orderId: of.orderId,
  mandate: mandateHash(of),
  leg,
  n,
  ...(n > 1 && { after: childId(of, n - 1) }),
});

export const childId = ({ userID, orderId }: Mandate, n: number): string =>
  hashedId(["child", userID, orderId, n]);

export const raised = (fees: SignRequest<Evm>["fees"]) => ({
  maxFeePerGas: 2n * fees.maxFeePerGas,
  maxPriorityFeePerGas: 2n * fees.maxPriorityFeePerGas,
});

type Child = {
  n?: number;
  leg?: number;
  changes?: Partial<EvmIntent>;
  /** Nonce of the swap. By default the number of the child. */
  place?: number;
  /** Seconds from now to the deadline of the call. */
  lives?: number;
  /** Makes the MACs that the order shows. */
  by?: { ofIntent?: (own: EvmIntent) => Promise<string>; ofMandate?: (own: Mandate) => Promise<string> };
  /** The mandate that the order shows. */
  shown?: Mandate | undefined;
};

/** Places children of mandates in a table, and signs them. */
export function openChildren(db: { readonly table: Table }) {
  const { vault, macs, childMacs } = openKeys();
  const checks = checksBy(macs, childMacs);
  const put = (...step: ItemWrite[]) => writeStep(db.table, step);

  /** Places a child with a planned swap, and returns the request to sign it. */
  async function placedChild(
    of: Mandate,
    { n = 1, leg = 0, changes = {}, place = n, lives = 13, by = {}, shown = of }: Child = {},
  ) {
    const { ofIntent = childMacs.makeChildMac, ofMandate = macs.makeMandateMac } = by;
    const { chain, wallet, userID, side, amount } = of;
    const own = intent({
      ...{ wallet, userID, side, token, amount, orderId: childId(of, n), nextNonce: n },
      routes: [v2],
      createdAt: childMs,
      validUntil: seconds + 60,
      ...(side === "sell" && { minAmountOut: 10n, quotedOut: 11n, approvalGas: 90_000n }),
      parent: parentOf(of, { leg, n }),
      ...changes,
    });
    const mac = await ofIntent(own);
    const claimed = { intent: own, mac, mandate: shown, mandateMac: await ofMandate(shown) };
    const item = slot({ place, call: swapBy(own, v2, own.amount, seconds + lives) }, own);
    await put(
      { kind: "put", of: "order", item: tradeOrder({ ...claimed, amount: own.amount }), when: "absent" },
      { kind: "put", of: "slot", item, when: "absent" },
    );
    const secret = { table: db.table, vault };
    await putSealedWallet(secret, { chain, wallet }, userID, privateKeys.get(wallet) ?? "");
    const { orderId } = own;
    const lane = { chain, wallet, userID, orderId, place };
    return { ...lane, purpose: "swap", fees: item.fees, claimed } satisfies SignRequest<Evm>;
  }

  /** Asks the signer, by the payload that it gets. */
  function sign(asked: SignRequest<Evm>, changes: Partial<SigningDeps> = {}) {
    const request = readSignRequest(signPayload(asked));
    if (request === undefined) throw new Error("The request cannot be read");
    const deps = { table: db.table, vault, checks, chains: defaultChains, nowMs: () => childMs };
    return signOnRequest({ ...deps, ...ignoredNotes(), ...changes }, request);
  }

  const signs = async (...asked: Parameters<typeof sign>) => "raw" in (await sign(...asked));

  async function stored<K extends "tally" | "ledger" | "day">(
    kind: K,
    name: Parameters<(typeof keysOfItems)[K]>[0],
  ): Promise<Items[K] | undefined> {
    const keyOf = keysOfItems[kind] as (of: typeof name) => Key;
    const [item] = await getItems<object>(db.table, [keyOf(name)]);
    return item && parsed(kind, item);
  }

  const dayOfWallet = ({ userID, chain, wallet }: Mandate) =>
    stored("day", { userID, chain, wallet, day: dayOf(childMs) });

  /** Records that children are dead, as executeOrders does. */
  function bury({ orderId }: Mandate, ...children: (string | DeadChild)[]): Promise<void> {
    const dead = children.map((each) =>
      typeof each === "string" ? { child: each, how: "unused", block: 9 } : each,
    );
    const item = packed({ orderId, dead, revision: 1, expiresAt: 2_000_000_000 }) as object;
    return putItems(db.table, [{ ...keysOfItems.ended({ orderId }), ...item }]);
  }

  return { placedChild, sign, signs, put, stored, dayOfWallet, bury, vault, macs, childMacs, checks };
}
