import { coinText } from "../../orders/decimal-text.ts";
import { announcedState, signedOn } from "../../orders/wallet-policy.ts";
import type { Table } from "../../table/table.ts";
import { readLimits } from "../../trading/items/policy-records.ts";
import { type PolicyText, policyStateText } from "../../wallets/policy-text.ts";
import { bySlot, isActive, isGone, laneOf, restorableUntil, shownWallet } from "../../wallets/wallet.ts";
import { walletsOfUser } from "../../wallets/wallet-records.ts";
import { harmless } from "./terminal.ts";

export type WalletDetails = Awaited<ReturnType<typeof readWallets>>[number];

/** Lists the user's wallets by slot, except removed ones, with their limits and today's spending. */
export async function readWallets(table: Table, userID: string, now: Date) {
  const wallets = bySlot(await walletsOfUser(table, userID)).filter((wallet) => !isGone(wallet, now));
  const keys = wallets.map((wallet) => ({ userID, ...laneOf(wallet) }));
  const limits = await readLimits(table, keys, now);
  return wallets.map((wallet, index) => {
    const { _id, network, generatedWalletAddress: address, slotName, createdAt } = shownWallet(wallet);
    const { expiresAt } = wallet;
    const { stored, count } = limits[index] ?? { stored: undefined, count: undefined };
    return {
      _id,
      network,
      address,
      slotName,
      createdAt,
      state: isActive(wallet) ? "active" : "retired",
      restorableUntil: expiresAt === undefined ? null : restorableUntil(expiresAt),
      ...policyStateText(network, announcedState(stored)),
      spentToday: coinText(network, signedOn(count, now.getTime()).spent),
      networkFeesToday: coinText(network, signedOn(count, now.getTime()).networkFees),
    };
  });
}

export const walletSheet = (wallets: readonly WalletDetails[]): string[] =>
  wallets.flatMap(({ _id, network, address, slotName, createdAt, ...rest }) => [
    `  ${network.padEnd(5)} ${address.padEnd(44)}  ${_id}  ${createdAt}  ${harmless(slotName)}`,
    `        ${stateText(rest)}`,
  ]);

function stateText({
  state,
  restorableUntil,
  policy,
  pending,
  spentToday,
  networkFeesToday,
}: Omit<WalletDetails, "_id" | "network" | "address" | "slotName" | "createdAt">): string {
  return [
    restorableUntil === null ? state : `${state}, can be restored until ${restorableUntil}`,
    policySentence(policy),
    ...(pending ? [`from ${pending.effectiveAt} ${policySentence(pending.policy)}`] : []),
    `spent ${spentToday} today, with network fees of ${networkFeesToday}`,
  ].join("; ");
}

function policySentence({
  maxPerOrder,
  maxPerDay,
  maxNetworkFeesPerDay,
  tokens,
  maxSlippage,
  anyLoss,
  tradingEnabled,
}: PolicyText): string {
  if (!tradingEnabled) return "trades nothing";
  return [
    tokens === "any" ? "buys any token" : `buys ${tokens.join(", ") || "no token"}`,
    ...(maxPerOrder === undefined ? [] : [`at most ${maxPerOrder} an order`]),
    ...(maxPerDay === undefined ? [] : [`at most ${maxPerDay} a day`]),
    ...(maxNetworkFeesPerDay === undefined ? [] : [`network fees of at most ${maxNetworkFeesPerDay} a day`]),
    ...(maxSlippage === undefined ? [] : [`slippage of at most ${maxSlippage} %`]),
    ...(anyLoss ? ["may lose any part of an order"] : []),
  ].join(", ");
}
