export const spans = [
  ["day", "Day"],
  ["week", "Week"],
  ["month", "Month"],
] as const;

export type Span = (typeof spans)[number][0];

export const dayMs = 86_400_000;

/** Returns the day in UTC of a time, such as 2026-11-30. */
export const dayIn = (time: string): string => time.slice(0, "2026-11-30".length);

/** Returns the day in UTC of a time in milliseconds. */
export const dayAt = (ms: number): string => dayIn(new Date(ms).toISOString());

/** Returns the first day of the week or month that contains a day. Weeks begin on Monday. */
export function startOf(day: string, span: Span): string {
  if (span === "day") return day;
  if (span === "month") return `${day.slice(0, "2026-11".length)}-01`;
  const ms = Date.parse(day);
  const daysSinceMonday = (new Date(ms).getUTCDay() + 6) % 7;
  return dayAt(ms - daysSinceMonday * dayMs);
}

/** Lists the starts of the last periods up to a day, at most `most`, and none before the period of the first day. */
export function startsUntil(day: string, span: Span, first: string, most: number): string[] {
  const starts = [startOf(day, span)];
  const earliest = startOf(first, span);
  for (;;) {
    const [next = ""] = starts;
    if (next <= earliest || starts.length === most) return starts;
    starts.unshift(startOf(dayAt(Date.parse(next) - dayMs), span));
  }
}

const dayFormat = { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" } as const;

/** Formats a day in UTC. */
export const dayText = (day: string): string => new Date(day).toLocaleDateString("en-GB", dayFormat);

/** Names the period that begins on a day. */
export function periodText(start: string, span: Span): string {
  if (span === "month") return dayText(start).replace(/^\d+ /, "");
  return span === "week" ? `Week of ${dayText(start)}` : dayText(start);
}
