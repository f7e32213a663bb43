import { askInParts } from "../../hosts/ask-in-parts.ts";
import { type Ask, askTogether } from "../../hosts/ask-together.ts";
import { HostFault, RpcRefusal } from "../../hosts/host-fault.ts";
import { balanceOf } from "../calls/contract-questions.ts";
import { movedInBlock, type WalletTransaction } from "../calls/fill-logs.ts";
import { multicall } from "../calls/multicall.ts";
import { type MinedTransaction, nonceCall, receiptCall, transactionsInCall } from "../calls/rpc-call.ts";
import { tokenGas } from "../calls/token-belongings.ts";
import type { EvmConfiguration } from "../rules/configuration.ts";
import { decodeCall } from "../venues/calldata.ts";

/** A transaction sent by the wallet, with its block. */
type Found = WalletTransaction & { mined: MinedTransaction };

/**
 * Computes how many tokens each swap moved, by its transaction hash, from the wallet's balances before and after the
 * block. Omits swaps whose balances the host no longer keeps.
 * @param found The wallet's transactions that the host has found.
 * @param isKnown True for a swap whose amount is already known.
 */
export async function movedTokens(
  ask: Ask,
  configuration: EvmConfiguration,
  wallet: string,
  found: readonly Found[],
  isKnown: (each: Found) => boolean,
): Promise<Map<string, bigint>> {
  const wanted = found.filter((each) => each.swap !== undefined && each.mined.isOk && !isKnown(each));
  const places = new Map(
    wanted.map(({ mined, swap }) => [
      `${mined.blockHash} ${swap?.token}`,
      { mined, token: swap?.token ?? "" },
    ]),
  );
  const moved = await Promise.all(
    [...places.values()].map(({ mined, token }) =>
      movedAt(ask, configuration, { wallet, token }, { mined, found }).catch(unlessForgotten),
    ),
  );
  return new Map(moved.flatMap((each) => [...each]));
}

/**
 * Throws only faults that may soon pass. Hosts use many different words to refuse state that they do not keep or that
 * they sell separately.
 */
function unlessForgotten(error: unknown): Map<string, bigint> {
  const isRefused = error instanceof RpcRefusal && !error.isBusy;
  const isUnusable = error instanceof HostFault && ["BAD_STATUS", "BAD_RESULT"].includes(error.code);
  if (isRefused || isUnusable) return new Map();
  throw error;
}

async function movedAt(
  ask: Ask,
  configuration: EvmConfiguration,
  { wallet, token }: { wallet: string; token: string },
  { mined: { blockHash, blockNumber }, found }: { mined: MinedTransaction; found: readonly Found[] },
): Promise<Map<string, bigint>> {
  const at = (tag: number) => ({
    units: multicall([balanceOf(token, wallet)], tag, tokenGas),
    nonce: nonceCall(wallet, tag),
  });
  const { before, after } = await askTogether(ask, { before: at(blockNumber - 1), after: at(blockNumber) });
  const [[held], [holds]] = [before.units, after.units];
  if (held === undefined || holds === undefined) return new Map();
  const own = found.filter(({ mined }) => mined.blockHash === blockHash);
  const others =
    own.length < after.nonce - before.nonce ? await othersIn(ask, configuration, wallet, blockHash, own) : [];
  return movedInBlock(configuration, { wallet, token }, [...own, ...others], holds - held);
}

/** Asks for the wallet's other transactions in a block: those of another program, or of an order that has settled. */
async function othersIn(
  ask: Ask,
  configuration: EvmConfiguration,
  wallet: string,
  blockHash: string,
  own: readonly Found[],
): Promise<WalletTransaction[]> {
  const [all] = await ask([transactionsInCall(blockHash, wallet)]);
  const others = all.filter(({ hash }) => !own.some((each) => each.hash === hash));
  const receipts = await askInParts(
    ask,
    others.map(({ hash }) => hash),
    receiptCall,
  );
  return others.map(({ hash, to, value, input: data }, index) => {
    const call = to ? decodeCall(configuration, { to, value, data }, wallet) : undefined;
    return { hash, swap: call?.purpose === "swap" ? call : undefined, logs: receipts[index]?.logs ?? [] };
  });
}
