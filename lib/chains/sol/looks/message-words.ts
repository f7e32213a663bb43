import type { Address } from "@solana/web3.js";
import { inPartsOf } from "../../../core/in-parts.ts";
import type { AskedChild } from "../../../orders/resting/firing.ts";
import { type Ask, askTogether } from "../../hosts/ask-together.ts";
import { HostFault } from "../../hosts/host-fault.ts";
import { askInTwo } from "../../hosts/look.ts";
import { markerOf } from "../calls/addresses.ts";
import { accountsCall, chainTimeCall, final } from "../calls/rpc-call.ts";
import { clock, readClock } from "../calls/token-view.ts";
import { mostStatuses, outcomesCall } from "../calls/transaction-call.ts";
import type { MessageWord, SignedMessages } from "../rules/child-sight.ts";
import { isMarker } from "../venues/instructions.ts";
import type { SolReader } from "../venues/reader.ts";

/** Asks both hosts about the messages that make a resting order's marker. */
export async function messageWordsOf(
  { client }: SolReader,
  { wallet, fillId, signed }: AskedChild<SignedMessages>,
): Promise<readonly [MessageWord | undefined, MessageWord | undefined]> {
  const marker = await markerOf(wallet as Address, fillId);
  return askInTwo(client.hosts, (ask) => wordOf(ask, marker, signed));
}

/**
 * Asks for the final height first, and then for the marker at the same or a later slot: if it is then missing, no block
 * up to that height has made it.
 */
async function wordOf(ask: Ask, marker: Address, signed: SignedMessages | undefined): Promise<MessageWord> {
  const ids = signed
    ? [...[...signed.own, ...signed.clears].map(({ signature }) => signature), ...signed.siblings]
    : [];
  const [{ slot, blockHeight }] = await ask([chainTimeCall(final)]);
  const { accounts, outcomes } = await askTogether(ask, {
    accounts: accountsCall([clock, marker], { ...final, minContextSlot: slot }),
    outcomes: inPartsOf(mostStatuses, ids).map(outcomesCall),
  });
  const [time, mark] = accounts.accounts;
  if (time === undefined) throw new HostFault("BAD_RESULT", "getMultipleAccounts");
  const receipts = outcomes
    .flat()
    .flatMap((status, index) =>
      status === undefined ? [] : [[ids[index] as string, { height: blockHeight, status }] as const],
    );
  return {
    time: Number(readClock(time).time),
    finalHeight: blockHeight,
    isMarked: isMarker(mark),
    receipts: new Map(receipts),
  };
}
