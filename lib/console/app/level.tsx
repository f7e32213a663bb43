import { useEffect, useRef } from "preact/hooks";
import type { Profile } from "./desk.ts";
import type { Notify } from "./notices.tsx";

type Progress = Pick<Profile, "Level" | "xpRemainingForNextLevel">;

/** XP between the beginnings of a level and of the next one. Level n begins at 100 (n − 1)² XP. */
const xpWithin = (level: number) => 100 * (2 * level - 1);

/** A bar that is full when the next level begins. */
export function LevelBar({ Level, xpRemainingForNextLevel: missing }: Progress) {
  const text = `${missing} XP to level ${Level + 1}`;
  const most = xpWithin(Level);
  return <progress aria-label={text} title={text} value={most - missing} max={most} />;
}

/** Tells the user about each new level. */
export function useLevelNews(level: number | undefined, notify: Notify): void {
  const before = useRef(level);
  useEffect(() => {
    if (level !== undefined && level > (before.current ?? level)) notify(`You have reached level ${level}`);
    before.current = level ?? before.current;
  }, [level]);
}
