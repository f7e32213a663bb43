import { type AttentionCode, attentionCodes } from "../execution.ts";
import { triggerTimes } from "./times.ts";

/** A condition that is true, and since when. A condition that has ended is kept, so that it cannot flicker. */
type Noted = { sinceMs: number; endedMs?: number | undefined };

export type Attention = { readonly [Code in AttentionCode]?: Noted };

/**
 * Notes the conditions that are true now. Each code changes at most once a minute, since each change reaches the user's
 * connections.
 */
export function attentionAfter(
  known: Attention,
  current: ReadonlySet<AttentionCode>,
  nowMs: number,
): Attention {
  const notes = attentionCodes.flatMap((code): [AttentionCode, Noted][] => {
    const old = known[code];
    const isShown = old !== undefined && old.endedMs === undefined;
    const isYoung = old !== undefined && nowMs - (old.endedMs ?? old.sinceMs) < triggerTimes.attentionMs;
    if (current.has(code) === isShown || isYoung) return isShown || isYoung ? [[code, old as Noted]] : [];
    return [[code, isShown ? { ...old, endedMs: nowMs } : { sinceMs: nowMs }]];
  });
  return Object.fromEntries(notes);
}

/** Lists the conditions as clients see them. */
export const shownAttention = (attention: Attention): { code: AttentionCode; since: string }[] =>
  attentionCodes.flatMap((code) => {
    const { sinceMs, endedMs } = attention[code] ?? {};
    return sinceMs === undefined || endedMs !== undefined
      ? []
      : [{ code, since: new Date(sinceMs).toISOString() }];
  });
