import type { HeldQuestion, HeldUnits } from "../../orders/resting/firing.ts";
import { type Ask, askTogether } from "../hosts/ask-together.ts";
import { knownBalancesCall, strangeBalancesCall } from "./calls/token-balances.ts";

/** Asks a host what wallets hold, in one request. */
export async function heldOnEvm(ask: Ask, { token, buyers, sellers }: HeldQuestion): Promise<HeldUnits> {
  const { known, strange } = await askTogether(ask, {
    known: buyers.length === 0 ? [] : [knownBalancesCall(buyers, [], "latest")],
    strange: sellers.length === 0 ? [] : [strangeBalancesCall(token, sellers, "latest")],
  });
  const coins = buyers.flatMap((wallet) => {
    const units = known[0]?.coins(wallet);
    return units === undefined ? [] : [[wallet, units] as const];
  });
  return { coins: new Map(coins), tokens: strange[0]?.units ?? new Map() };
}
