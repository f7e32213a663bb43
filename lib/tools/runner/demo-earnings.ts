import type { Terminal } from "trading-terminal-client";

type Earned = { xp: number; level: number; missing: number; points: number };

/** Reads what the user has earned so far. Undefined if the service does not answer. */
export async function readEarned(terminal: Terminal): Promise<Earned | undefined> {
  const [{ data: profile }, { data: account }] = await Promise.all([
    terminal.getUserData(),
    terminal.listRedemptions(),
  ]);
  if (profile === undefined || !("tier" in profile) || account === undefined) return undefined;
  const { Level: level, Xp, xpRemainingForNextLevel: missing } = profile;
  return { xp: Xp.total, level, missing, points: account.points };
}

/** Says what trades have earned, for example `alice: 590 XP and 596 points earned, level 1 → 3, 310 XP to the next`. */
export function earnedText(before: Earned | undefined, after: Earned | undefined): string {
  if (before === undefined || after === undefined)
    return "The service did not say what the trades have earned";
  const [xp, points] = [after.xp - before.xp, after.points - before.points];
  const levels = `level ${before.level}${after.level === before.level ? "" : ` → ${after.level}`}`;
  if (xp === 0 && points === 0) return `alice: nothing credited; today's caps may be used up; ${levels}`;
  return `alice: ${xp} XP and ${points} points earned, ${levels}, ${after.missing} XP to the next`;
}
