import { isDeepStrictEqual } from "node:util";
import type { Bought } from "../../../orders/resting/exits/entry.ts";
import type { Ask } from "../../hosts/ask-together.ts";
import { askInTwo } from "../../hosts/look.ts";
import { landedCall } from "../calls/transaction-call.ts";
import { readReceipt } from "../messages/read-receipt.ts";
import type { SignedMessages } from "../rules/child-sight.ts";
import type { SolReader } from "../venues/reader.ts";

/** Asks both hosts what a wallet's buy has brought. Undefined while they do not agree. */
export async function boughtOnSol(
  { client }: SolReader,
  wallet: string,
  { own }: SignedMessages,
): Promise<Bought | undefined> {
  const receiptsOf = async (ask: Ask) => {
    const landed = await ask(own.map(({ signature }) => landedCall(signature)));
    return Promise.all(
      own.map(({ signature }, index) => {
        const each = landed[index];
        return each && readReceipt(wallet, signature, each);
      }),
    );
  };
  const [a, b] = await askInTwo(client.hosts, receiptsOf);
  const filled = a?.find((receipt) => receipt?.status === "ok");
  const isShared = b?.some((receipt) => isDeepStrictEqual(receipt, filled));
  if (filled?.status !== "ok" || !isShared) return undefined;
  return { spent: filled.spent, received: filled.received };
}
