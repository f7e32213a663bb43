/** Level n starts at 100 (n - 1)^2 XP: 1 at 0, 2 at 100, 3 at 400, 4 at 900, 11 at 10,000. */
export function xpOfLevel(level: number): number {
  return 100 * (level - 1) ** 2;
}

/** Returns the level at a total of XP, at least 1. */
export function levelAt(totalXp: number): number {
  return Math.floor(Math.sqrt(totalXp / 100)) + 1;
}

/** Returns the XP missing for the next level, never 0. */
export function xpToNextLevel(totalXp: number): number {
  return xpOfLevel(levelAt(totalXp) + 1) - totalXp;
}
