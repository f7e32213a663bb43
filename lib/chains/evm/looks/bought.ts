import type { Bought } from "../../../orders/resting/exits/entry.ts";
import { askInParts } from "../../hosts/ask-in-parts.ts";
import type { Ask } from "../../hosts/ask-together.ts";
import { askInTwo } from "../../hosts/look.ts";
import { receiptCall } from "../calls/rpc-call.ts";
import { agreedBuy } from "../rules/host-snapshot.ts";
import type { SignedSwap } from "../rules/ledger.ts";
import type { EvmReader } from "../venues/reader.ts";
import { foundAmong, type ReceiptRest, readReceipts, receiptCalls } from "./read-receipts.ts";

/** Asks both hosts what a wallet's buy has brought. Undefined while they do not agree. */
export async function boughtOnEvm(
  { client, configuration }: EvmReader,
  wallet: string,
  { swaps, call }: SignedSwap,
): Promise<Bought | undefined> {
  const calls = new Map(swaps.map((hash) => [hash, call]));
  const receiptsOf = async (ask: Ask) => {
    const found = foundAmong(swaps, await askInParts(ask, swaps, receiptCall));
    const rests = await askInParts(ask, found, receiptCalls);
    const complete = found.map((each, index) => ({ ...each, ...(rests[index] as ReceiptRest) }));
    return readReceipts(ask, configuration, wallet, complete, { calls });
  };
  const [a, b] = await askInTwo(client.hosts, receiptsOf);
  const filled = swaps.find((hash) => a?.has(hash)) ?? "";
  return agreedBuy(a?.get(filled), b?.get(filled));
}
