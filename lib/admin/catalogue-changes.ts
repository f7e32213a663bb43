import type { Reward } from "../domain/reward.ts";
import { changeLine, changesBetween } from "./change.ts";

/** What has become of a catalogue, a line for each reward and each field of it; no line when nothing has. */
export function catalogueChanges(before: readonly Reward[], after: readonly Reward[]): string[] {
  const old = new Map(before.map((reward) => [reward.id, reward]));
  const kept = new Set(after.map(({ id }) => id));
  const lines = after.flatMap((reward) => becameOf(old.get(reward.id), reward));
  const removed = before.filter(({ id }) => !kept.has(id)).map(({ id }) => `removed ${id}`);
  return [...lines, ...removed, ...(sameOrder(before, after) ? [] : ["changed the order"])];
}

function becameOf(before: Reward | undefined, after: Reward): string[] {
  if (before === undefined) return [`added ${after.id}`];
  const changes = changesBetween(before, after);
  if (changes.length === 0) return [];
  return [`changed ${after.id}`, ...changes.map((change) => `  ${changeLine(change)}`)];
}

/** Whether the rewards that both have come in the same order. */
function sameOrder(before: readonly Reward[], after: readonly Reward[]): boolean {
  const common = (some: readonly Reward[], others: readonly Reward[]) => {
    const ids = new Set(others.map(({ id }) => id));
    return some.map(({ id }) => id).filter((id) => ids.has(id));
  };
  return common(before, after).join(" ") === common(after, before).join(" ");
}
