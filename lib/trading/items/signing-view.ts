import type { Effects, SigningView } from "../../orders/effects.ts";
import type { Items, Names } from "../../orders/table-step.ts";
import type { Table } from "../../table/table.ts";
import { sealedKeyKey } from "../../table/wallet-keys.ts";
import { findOnChain, keysOfUser, type SealedWallet } from "./found-items.ts";
import { keysOfItems } from "./items.ts";
import { tradeKeyOf } from "./lane-records.ts";
import { InvalidItem, parsed, type SigningKind } from "./signing-schemas.ts";

/**
 * Reads the facts for signing with one call. The core never sees the encrypted key.
 *
 * @throws {InvalidItem} if an item has a form that the service never writes.
 */
export async function readSigning(
  table: Table,
  { request, day }: Effects["readSigning"]["ask"],
): Promise<{ view: Omit<SigningView, "chainLimits">; sealed: SealedWallet | undefined }> {
  const { chain, userID } = request;
  const found = await findOnChain(table, chain, [
    tradeKeyOf(request),
    keysOfItems.slot(request),
    keysOfItems.ledger(request),
    keysOfItems.cancellation(request),
    sealedKeyKey(userID, chain, request.wallet),
    ...keysOfUser(request, userID, day),
  ]);
  const known = <K extends SigningKind>(kind: K, name: Names[K]): Items[K] | undefined => {
    const item = found.stored(kind, name);
    return item && parsed(kind, item);
  };
  function policy() {
    try {
      return known("policy", request);
    } catch (error) {
      // Ignores an invalid policy when signing a clear, so that no policy can prevent a wallet from being freed.
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
      stored: policy(),
      count: known("day", { ...request, day }),
    },
  };
  return { view, sealed: found.sealedWallet(request, userID) };
}
