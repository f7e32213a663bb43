export const windowNames = ["daily", "weekly", "monthly"] as const;

export type WindowName = (typeof windowNames)[number];

/** XP earned in one period of time. `start` is the first day of the period, YYYY-MM-DD in UTC. */
type Window = { start: string; xp: number };

/** A user's XP as stored. When a period is over, its XP stay stored until the next change and count as 0. */
export type Experience = { total: number } & Record<WindowName, Window>;

/** A user's XP as clients see it: in total, and in the current UTC day, ISO week and month. */
export type Xp = { total: number } & Record<WindowName, number>;

export function noExperience(now: Date): Experience {
  return { total: 0, ...windowsAt(now) };
}

export function xpAt(experience: Experience, now: Date): Xp {
  const { daily, weekly, monthly } = windowsOf(experience, now);
  return { total: experience.total, daily: daily.xp, weekly: weekly.xp, monthly: monthly.xp };
}

/**
 * Sets the total. A gain is also added to the current periods. A loss is not subtracted from them, but no period stays
 * above the total.
 */
export function withTotal(experience: Experience, total: number, now: Date): Experience {
  const gain = Math.max(0, total - experience.total);
  const windows = windowsOf(experience, now);
  const moved = windowNames.map((name) => {
    const { start, xp } = windows[name];
    return [name, { start, xp: Math.min(total, xp + gain) }];
  });
  return { total, ...(Object.fromEntries(moved) as Record<WindowName, Window>) };
}

/** Returns what a user has earned in the current periods. */
export function windowsOf(experience: Experience, now: Date): Record<WindowName, Window> {
  const fresh = windowsAt(now);
  for (const name of windowNames) {
    if (experience[name].start === fresh[name].start) fresh[name] = experience[name];
  }
  return fresh;
}

/** Returns the current periods, without XP. */
export function windowsAt(now: Date): Record<WindowName, Window> {
  const day = now.toISOString().slice(0, 10);
  return {
    daily: { start: day, xp: 0 },
    weekly: { start: monday(now), xp: 0 },
    monthly: { start: `${day.slice(0, 7)}-01`, xp: 0 },
  };
}

/** Returns the Monday on which the ISO week begins. */
function monday(now: Date): string {
  const start = new Date(now);
  start.setUTCDate(start.getUTCDate() - ((start.getUTCDay() + 6) % 7));
  return start.toISOString().slice(0, 10);
}
