import { bindingOf, seal } from "../../../lib/aws/vault.ts";
import type { Evm } from "../../../lib/chains/evm/rules/family.ts";
import { type EvmIntent, swapBy } from "../../../lib/chains/evm/rules/intent.ts";
import type { EvmSlot } from "../../../lib/chains/evm/rules/slot.ts";
import { defaultChains } from "../../../lib/infra/default-chains.ts";
import { cancelling } from "../../../lib/orders/cancelling.ts";
import type { SignAnswer, SignRequest } from "../../../lib/orders/effects.ts";
import type { TradeOrder } from "../../../lib/orders/trade-order.ts";
import type { Table } from "../../../lib/table/table.ts";
import { runProcedure } from "../../../lib/trading/execution/run-procedure.ts";
import { tableEffects } from "../../../lib/trading/execution/table-effects.ts";
import { readPlacing } from "../../../lib/trading/items/views.ts";
import { writeStep } from "../../../lib/trading/items/write-step.ts";
import { placing } from "../../../lib/trading/procedures/placing.ts";
import { checksBy } from "../../../lib/trading/signing/intent-mac.ts";
import { readSignRequest, signPayload } from "../../../lib/trading/signing/sign-payload.ts";
import { signOnRequest } from "../../../lib/trading/signing/sign-transaction.ts";
import { register } from "../../../lib/users/register.ts";
import { saveSettings } from "../../../lib/users/settings-records.ts";
import { addWallet } from "../../../lib/wallets/add-wallet.ts";
import { endExport, exportWallet } from "../../../lib/wallets/export/export-wallet.ts";
import { lockExports } from "../../../lib/wallets/export/lock-exports.ts";
import {
  answerSealRequest,
  readSealRequest,
  type SealedExport,
} from "../../../lib/wallets/export/seal-export.ts";
import { changePolicy } from "../../../lib/wallets/loosen-guards.ts";
import { retireWallet } from "../../../lib/wallets/retire-wallet.ts";
import { newWallet, type Wallet } from "../../../lib/wallets/wallet.ts";
import { type Key, newEvmKey } from "../../support/keys.ts";
import { placeRequest, tradeFacts } from "../../support/place-request.ts";
import { exportKeyPair } from "../../support/sealing.ts";
import { readSigned, Theft } from "../../support/signed-bytes.ts";
import { ignoredNotes, type Keys } from "../../support/signing.ts";
import { intent, slot, v2 } from "../../support/trading.ts";
import { walletLimits } from "../../support/wallets.ts";
import { dai, worthless } from "./desk.ts";

export const delaySeconds = 86_400;
const ignore = () => undefined;

/** Parts of the service that an owner uses: the real use cases on a real table, at a given time. */
export type Service = { table: Table; keys: Keys; nowMs: number };

/** An order with the slot of its swap. */
export type Placed = { intent: EvmIntent; planned: EvmSlot };

/** Orders of an owner, named after what will happen to them. */
type Orders = Readonly<Record<"kept" | "cancelled" | "forbidden" | "retired", Placed>>;

/** A user with three wallets and four orders. All items of the owner contain the user's id, or ids made from it. */
export class Owner {
  readonly userID: string;
  /** Wallets for trading, for retiring and for exporting. */
  readonly wallets: readonly [Wallet, Wallet, Wallet];
  readonly orders: Orders;
  readonly #secrets: readonly Key[];
  readonly #exportKeys: Awaited<ReturnType<typeof exportKeyPair>>;

  private constructor(owner: Pick<Owner, "userID" | "wallets" | "orders">, ...secrets: OwnerSecrets) {
    this.userID = owner.userID;
    this.wallets = owner.wallets;
    this.orders = owner.orders;
    [this.#secrets, this.#exportKeys] = secrets;
  }

  static async register(service: Service, userID: string): Promise<Owner> {
    const { table, keys } = service;
    const now = new Date(service.nowMs - 2 * 3_600_000);
    await register(table, { userID, names: [], ref: undefined }, now);
    const secrets = [newEvmKey(), newEvmKey(), newEvmKey()];
    const wallets: Wallet[] = [];
    for (const { address, secret } of secrets) {
      const wallet = newWallet("imported", { userID, network: "eth", address, now });
      const sealKey = () => seal(keys.vault, Uint8Array.from(secret), bindingOf(wallet));
      const added = await addWallet(table, { wallet, seal: sealKey, limits: walletLimits, now });
      wallets.push(added.wallet);
    }
    const [trading, retiring, exported] = wallets as [Wallet, Wallet, Wallet];
    await saveSettings(table, userID, "eth", { slippage: 2 }, now);
    await allow(service, trading, [dai, worthless], now);
    const orders = {
      kept: await place(service, trading, dai, 0),
      cancelled: await place(service, trading, dai, 1),
      forbidden: await place(service, trading, worthless, 2),
      retired: await place(service, retiring, dai, 0),
    };
    const owner = new Owner(
      { userID, wallets: [trading, retiring, exported], orders },
      secrets,
      await exportKeyPair(),
    );
    for (const wallet of [trading, exported]) await owner.asksFor(service, wallet);
    return owner;
  }

  asksFor({ table, keys, nowMs }: Service, { _id: walletId }: Wallet, publicKey = this.#exportKeys.jwk) {
    const named = { userID: this.userID, walletId };
    const seal = async () => (await askSealExport({ table, keys, nowMs }, named)) as SealedExport;
    const request = { ...named, publicKey, now: new Date(nowMs) };
    return exportWallet({ table, delaySeconds, seal }, request);
  }

  async cancelOrder({ table, nowMs }: Service): Promise<void> {
    const { userID, orderId } = this.orders.cancelled.intent;
    const effects = { ...tableEffects(table), now: () => nowMs, wake: ignore };
    const answer = await runProcedure(cancelling(userID, orderId), effects);
    if ("refused" in answer) throw new Error(answer.refused);
  }

  /** Forbids the wallet to buy one of the two tokens. */
  forbidToken(service: Service): Promise<void> {
    return allow(service, this.wallets[0], [dai], new Date(service.nowMs));
  }

  async retire({ table, nowMs }: Service): Promise<void> {
    const deps = {
      table,
      limits: walletLimits,
      wake: async () => undefined,
      endResting: async () => undefined,
    };
    const { userID } = this;
    await retireWallet(deps, { userID, walletId: this.wallets[1]._id, now: new Date(nowMs) });
  }

  async cancelExport({ table, keys, nowMs }: Service): Promise<void> {
    const named = { userID: this.userID, walletId: this.wallets[0]._id };
    const withdraw = async () =>
      (await askSealExport({ table, keys, nowMs }, { ...named, withdraw: true })) as { isWithdrawn: boolean };
    await endExport({ table, withdraw, onFault: ignore }, { ...named, now: new Date(nowMs) });
  }

  async lock({ table, nowMs }: Service): Promise<void> {
    await lockExports(table, { userID: this.userID, now: new Date(nowMs) });
  }

  /** Places a new order and has it signed. */
  async trade(service: Service): Promise<boolean> {
    return signs(service, await place(service, this.wallets[0], dai, 3));
  }

  /** Requests an export of a wallet from sealExport. Returns whether it exported the key to this owner. */
  async gets(service: Service, { _id: walletId }: Wallet): Promise<boolean> {
    const named = { userID: this.userID, walletId };
    const answer = await askSealExport(service, named).catch(ignore);
    if (answer === undefined || !("ciphertext" in answer)) return false;
    const opened = await this.#exportKeys.open(answer, { network: "eth", ...named }).catch(ignore);
    const own = this.wallets.findIndex(({ _id }) => _id === walletId);
    if (opened === undefined) throw new Theft("exported a wallet to another key");
    if (!this.#secrets[own]?.secret.equals(opened)) throw new Error("exported another key");
    return true;
  }
}

type OwnerSecrets = [readonly Key[], Awaited<ReturnType<typeof exportKeyPair>>];

/** Calls sealExport, like the functions that may invoke it. */
export const askSealExport = ({ table, keys: { vault }, nowMs }: Service, asked: object) =>
  answerSealRequest(
    { table, vault, delaySeconds, onExport: ignore },
    readSealRequest(asked),
    new Date(nowMs),
  );

/** Allows a wallet to buy these tokens. */
export async function allow(
  { table }: Service,
  { UserID: userID, _id: walletId }: Wallet,
  tokens: string[],
  now: Date,
) {
  const asked = { maxPerOrder: "1", tokens, tradingEnabled: true };
  await changePolicy({ table }, { userID, walletId, signedInAt: now, now, asked });
}

let count = 0;

/** Places an order to buy a token, and plans its swap as executeOrders would. */
export async function place(
  { table, keys, nowMs }: Service,
  of: Wallet,
  token: string,
  nonce: number,
): Promise<Placed> {
  const { UserID: userID, generatedWalletAddress: wallet } = of;
  const key = `key ${++count} of ${userID}`;
  const own = intent({ wallet, userID, token, isPrivate: false, orderId: `${count}`.padStart(26, "0") });
  const request = placeRequest({ ...own, key, fingerprint: "body", slippage: 1, nowMs });
  const answer = await runProcedure(placing(request), {
    write: tableEffects(table).write,
    readPlacing: (ask) => readPlacing(table, ask),
    quote: () => [quote(token), quote(token)],
    makeMac: ({ intent }) => keys.macs.makeMac(intent),
    now: () => nowMs,
    wake: ignore,
  });
  if ("refused" in answer) throw new Error(String(answer.refused));
  const { intent: placed } = answer.order as TradeOrder<Evm>;
  const planned = slot({ place: nonce, call: swapBy(placed, v2, placed.amount), isPrivate: false }, placed);
  await writeStep(table, [{ kind: "put", of: "slot", item: planned, when: "absent" }]);
  return { intent: placed, planned };
}

function quote(token: string) {
  const { amount, gasLimit } = intent();
  const { identity } = tradeFacts();
  return tradeFacts({
    identity: { ...identity, token },
    amount,
    amountOut: 10n * amount,
    transactions: [{ estimate: gasLimit, gasLimit, l1Fee: 0n }],
    held: { coins: 10n ** 20n, tokens: 0n },
  });
}

/**
 * Requests a signature of an order's swap, as executeOrders would. Returns whether the signer signed.
 *
 * @throws {Theft} if it signs a transaction that the user did not order.
 */
export async function signs(
  { table, keys, nowMs }: Service,
  { intent: own, planned }: Placed,
): Promise<boolean> {
  const { userID, orderId, chain, wallet, place: nonce, fees } = planned;
  const asked: SignRequest<Evm> = { userID, orderId, chain, wallet, place: nonce, fees, purpose: "swap" };
  const request = readSignRequest(signPayload(asked));
  if (request === undefined) throw new Error("The request cannot be read");
  const deps = {
    table,
    vault: keys.vault,
    checks: checksBy(keys.macs, keys.childMacs),
    chains: defaultChains,
    nowMs: () => nowMs,
    ...ignoredNotes(),
  };
  // Ignores failures, which invalid data in the table may cause.
  const answer = await signOnRequest(deps, request).catch((): SignAnswer<Evm> => ({ later: "it failed" }));
  if (!("slot" in answer)) return false;
  const { nonce: signed } = readSigned(answer.raw, own, defaultChains.eth);
  if (signed !== nonce) throw new Theft("signed for another nonce");
  return true;
}
