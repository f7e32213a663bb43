import { readLimits } from "../aws/policy-records.ts";
import type { Table } from "../aws/table.ts";
import { walletsOfUser } from "../aws/wallet-records.ts";
import { coinText, type PolicyText, policyStateText } from "../domain/trading/policy-text.ts";
import { policyAt, rulesAt } from "../domain/trading/wallet-policy.ts";
import { isActive, isGone, numbered, shownWallet } from "../domain/wallet.ts";
import { harmless } from "./terminal.ts";

export type WalletDetails = Awaited<ReturnType<typeof readWallets>>[number];

/** The user's wallets that are not gone, by slot: what they are, what they may buy, and what they have bought today. */
export async function readWallets(table: Table, userID: string, now: Date) {
  const wallets = numbered(await walletsOfUser(table, userID))
    .filter((wallet) => !isGone(wallet, now))
    .toSorted((a, b) => a.slot - b.slot);
  const limits = await readLimits(
    table,
    wallets.map(({ network, generatedWalletAddress }) => ({
      userID,
      chain: network,
      wallet: generatedWalletAddress,
    })),
    now,
  );
  return wallets.map((wallet, index) => {
    const { _id, network, generatedWalletAddress: address, slotName, createdAt } = shownWallet(wallet);
    const { stored, count } = limits[index] ?? { stored: undefined, count: undefined };
    return {
      ...{ _id, network, address, slotName, createdAt },
      state: isActive(wallet) ? "active" : "retired",
      restorableUntil:
        wallet.expiresAt === undefined ? null : new Date(wallet.expiresAt * 1000).toISOString(),
      ...policyStateText(network, policyAt(stored, now.getTime())),
      spentToday: coinText(network, rulesAt({ stored, count }, now.getTime()).spent),
    };
  });
}

/** Two lines for each wallet. */
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
}: Pick<WalletDetails, "state" | "restorableUntil" | "policy" | "pending" | "spentToday">): string {
  return [
    restorableUntil === null ? state : `${state}, can be restored until ${restorableUntil}`,
    policySentence(policy),
    ...(pending ? [`from ${pending.effectiveAt} ${policySentence(pending.policy)}`] : []),
    `spent ${spentToday} today`,
  ].join("; ");
}

function policySentence({ maxPerOrder, maxPerDay, tokens, tradingEnabled }: PolicyText): string {
  if (!tradingEnabled) return "buys nothing";
  return [
    tokens === "any" ? "buys any token" : `buys ${tokens.join(", ") || "no token"}`,
    ...(maxPerOrder === undefined ? [] : [`at most ${maxPerOrder} an order`]),
    ...(maxPerDay === undefined ? [] : [`at most ${maxPerDay} a day`]),
  ].join(", ");
}
