import { openPolicy, policyAfter, policyAt, type WalletPolicy } from "../../../lib/orders/wallet-policy.ts";
import { users, wallets } from "./clients.ts";
import { anyWallet } from "./play.ts";
import { chain, type World } from "./world.ts";

const dayMs = 24 * 60 * 60_000;

/** Sets a wallet's policy for one of its users. Looser rules apply after at most 40 seconds instead of a day. */
export function setPolicy(world: World): void {
  const { random } = world;
  const userID = random.pick(users) as string;
  const wallet = userID === "bob" ? (wallets[1] as string) : anyWallet(world);
  const maxPerOrder = random.chance(0.4) ? BigInt(200 + random.below(800)) : undefined;
  // Sets high limits, because the network fees of a swap may reach millions.
  const maxPerDay = random.chance(0.6) ? BigInt(1_000_000 * (1 + random.below(8))) : undefined;
  changePolicy(world, userID, wallet, {
    ...(maxPerOrder !== undefined && { maxPerOrder }),
    ...(maxPerDay !== undefined && { maxPerDay }),
    ...(maxPerDay !== undefined && maxPerOrder === undefined && { maxNetworkFeesPerDay: maxPerDay }),
    tokens: random.pick(["any", "any", ["MOON"], ["MOON", "DUSK"]] as const) ?? "any",
    // The orders' slippage is 10 %.
    ...(random.chance(0.2) && { maxSlippage: random.chance(0.5) ? 100_000n : 99_999n }),
    tradingEnabled: random.chance(0.9),
  });
  if (random.chance(0.5)) changePolicy(world, userID, wallet, openPolicy);
}

/** Applies looser policies whose time has come, as loosenGuards does. */
export function loosenPolicies({ nowMs, table, seen }: World): void {
  for (const userID of users)
    for (const wallet of wallets) {
      const stored = table.get("policy", { chain, wallet, userID });
      if (stored?.pending === undefined) continue;
      const { pending: _, ...rest } = stored;
      const after = { ...rest, ...policyAt(stored, nowMs) };
      if (after.pending !== undefined) continue;
      table.put("policy", { ...after, revision: stored.revision + 1 });
      seen.add("a looser policy is in force");
    }
}

export function changePolicy(world: World, userID: string, wallet: string, asked: WalletPolicy): void {
  const { random, nowMs, table } = world;
  const key = { chain, wallet, userID } as const;
  const stored = table.get("policy", key);
  const state = policyAfter(policyAt(stored, nowMs), asked, nowMs - dayMs + random.below(40_000));
  table.put("policy", { ...key, ...state, revision: (stored?.revision ?? 0) + 1 });
}
