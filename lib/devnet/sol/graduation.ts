import { readAccounts, setAccount } from "./made-accounts.ts";
import { associatedAccount } from "./published.ts";
import { type CurveToken, migratedCurve, type PumpPool, poolAccounts } from "./pump-deployment.ts";
import { curve } from "./pump-layouts.ts";
import { amountAt } from "./pump-parts.ts";
import type { Surfnet } from "./surfnet.ts";

/** Lamports of a completed curve that the program keeps for the costs of the pool's accounts. */
const migrationFee = 15_000_001n;

/**
 * Moves the liquidity of a completed curve to a pool, as the real program does when anybody calls it. Sets the accounts,
 * because the stand-in of the program cannot create them.
 *
 * @returns undefined if the curve is not complete or has moved
 */
export async function graduate(
  request: Surfnet["request"],
  token: CurveToken,
): Promise<PumpPool | undefined> {
  const held = await associatedAccount(token.curve, token.program, token.mint);
  const [found, tokens] = await readAccounts(request, [token.curve, held]);
  if (found?.data[curve.at.isComplete] !== 1 || tokens === undefined) return undefined;
  const coins = found.data.readBigUInt64LE(curve.at.realCoins);
  if (coins === 0n) return undefined;
  const { pool, accounts } = await poolAccounts(token, {
    coins: coins - migrationFee,
    tokens: tokens.data.readBigUInt64LE(amountAt),
  });
  tokens.data.writeBigUInt64LE(0n, amountAt);
  for (const each of [...accounts, tokens, migratedCurve(token)]) await setAccount(request, each);
  return pool;
}

/**
 * Lets completed curves graduate until it is stopped, as callers on the real chain do within seconds. A failed look is
 * tried again with the next one.
 */
export function watchGraduations(
  request: Surfnet["request"],
  tokens: readonly CurveToken[],
  everyMs = 1000,
): { stop: () => void } {
  let isLooking = false;
  const timer = setInterval(async () => {
    if (isLooking) return;
    isLooking = true;
    await Promise.all(tokens.map((each) => graduate(request, each))).catch(() => {});
    isLooking = false;
  }, everyMs);
  return { stop: () => clearInterval(timer) };
}
