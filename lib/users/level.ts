/**
 * Level n starts at 100 (n - 1)^2 XP: level 1 at 0, level 2 at 100, level 3 at 400, level 4 at 900, level 11 at 10,000.
 */
export function xpOfLevel(level: number): number {
  return 100 * (level - 1) ** 2;
}

/** Returns the level at a total of XP, at least 1. */
export function levelAt(totalXp: number): number {
  return Math.floor(Math.sqrt(totalXp / 100)) + 1;
}

/** Returns the XP that are missing for the next level. Never returns 0. */
export function xpToNextLevel(totalXp: number): number {
  return xpOfLevel(levelAt(totalXp) + 1) - totalXp;
}
