import { hasSwap } from "../../chains/families/ledger.ts";
import type { Effects, SigningView, SignRequest } from "../../orders/effects.ts";
import { childIdOf } from "../../orders/resting/mandate.ts";
import type { ParentFacts } from "../../orders/resting/tally.ts";
import type { Items, Names } from "../../orders/table-step.ts";
import type { Key } from "../../table/keys.ts";
import type { Table } from "../../table/table.ts";
import { sealedKeyKey } from "../../table/wallet-keys.ts";
import { findOnChain, keysOfProgram, keysOfUser, namesOfProgram, type SealedWallet } from "./found-items.ts";
import { keysOfItems } from "./items.ts";
import { tradeKeyOf } from "./lane-records.ts";
import { InvalidItem, parsed, type SigningKind } from "./signing-schemas.ts";

/** Records of an order to sign, and of the resting order that it names. */
type StoredView = Omit<SigningView, "chainLimits" | "parent">;
type StoredParent = Pick<ParentFacts, "tally" | "ended" | "isCancelled" | "hasBought">;

const keysOfParent = (userID: string, orderId: string): Key[] => [
  keysOfItems.tally({ orderId }),
  keysOfItems.ended({ orderId }),
  keysOfItems.cancellation({ userID, orderId }),
];

/**
 * Returns the order whose swap has bought the tokens of an exit. If the buy rested, fireOrders says which of its children
 * that was, and cannot name any other order.
 */
function buyerOf({ intent, mandate }: NonNullable<SignRequest["claimed"]>): { orderId: string } | undefined {
  if (mandate?.exit === undefined) return undefined;
  const { of: orderId } = mandate.exit;
  const { bought = 0 } = intent.parent ?? {};
  return { orderId: bought === 0 ? orderId : childIdOf({ ...mandate, orderId }, bought) };
}

const isSwapSigned = (ledger: Items["ledger"] | undefined, { userID, chain, wallet }: SignRequest): boolean =>
  ledger !== undefined &&
  ledger.userID === userID &&
  ledger.chain === chain &&
  ledger.wallet === wallet &&
  hasSwap(ledger);

/**
 * Reads the facts for signing with one call. The core never sees the encrypted key.
 *
 * @throws {InvalidItem} if an item has a form that the service never writes.
 */
export async function readSigning(
  table: Table,
  { request, day }: Effects["readSigning"]["ask"],
): Promise<{ view: StoredView; ofParent: StoredParent | undefined; sealed: SealedWallet | undefined }> {
  const { chain, userID, claimed } = request;
  const parentId = claimed?.intent.parent?.orderId;
  const buyer = claimed && buyerOf(claimed);
  const program = namesOfProgram(request, claimed?.intent.by, day);
  const found = await findOnChain(table, chain, [
    tradeKeyOf(request),
    keysOfItems.slot(request),
    keysOfItems.ledger(request),
    keysOfItems.cancellation(request),
    sealedKeyKey(userID, chain, request.wallet),
    ...keysOfUser(request, userID, day),
    ...keysOfProgram(program),
    ...(parentId === undefined ? [] : keysOfParent(userID, parentId)),
    ...(buyer === undefined ? [] : [keysOfItems.ledger(buyer)]),
  ]);
  const known = <K extends SigningKind>(kind: K, name: Names[K]): Items[K] | undefined => {
    const item = found.stored(kind, name);
    return item && parsed(kind, item);
  };
  /** Ignores an invalid item when signing a clear, so that no such item can prevent a wallet from being freed. */
  function knownUnlessClear<K extends SigningKind>(kind: K, name: Names[K]): Items[K] | undefined {
    try {
      return known(kind, name);
    } catch (error) {
      if (request.purpose === "clear" && error instanceof InvalidItem) return undefined;
      throw error;
    }
  }
  const view = {
    order: known("order", { intent: request }),
    slot: known("slot", request),
    ledger: known("ledger", request),
    isRetired: found.isRetired(request, userID),
    isStopped: found.isStopped(chain),
    isCancelled: found.has(keysOfItems.cancellation(request)),
    cutoffs: found.cutoffs(request, userID),
    maxGasPrice: found.maxGasPrice(chain, userID),
    limits: {
      stored: knownUnlessClear("policy", request),
      count: known("day", { ...request, day }),
    },
    program: program && {
      key: knownUnlessClear("programKey", program.key),
      count: knownUnlessClear("keyDay", program.count),
    },
  };
  const ofParent =
    parentId === undefined
      ? undefined
      : {
          tally: knownUnlessClear("tally", { orderId: parentId }),
          ended: knownUnlessClear("ended", { orderId: parentId }),
          isCancelled: found.has(keysOfItems.cancellation({ userID, orderId: parentId })),
          ...(buyer && { hasBought: isSwapSigned(knownUnlessClear("ledger", buyer), request) }),
        };
  return { view, ofParent, sealed: found.sealedWallet(request, userID) };
}
