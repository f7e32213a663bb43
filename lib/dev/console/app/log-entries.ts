export type LogEntry = {
  id: number;
  direction: "sent" | "received";
  time: number;
  message: { type: string };
};

let lastEntry = 0;

export const newEntry = (direction: LogEntry["direction"], message: LogEntry["message"]): LogEntry => ({
  id: ++lastEntry,
  direction,
  time: Date.now(),
  message,
});

/** Of prices, and of the others. */
const mostMessages = 200;

/** Adds the newest. Prices have a share of their own, so that they push nothing else out. */
export function withNewest(entries: readonly LogEntry[], newest: LogEntry): LogEntry[] {
  let left = mostMessages - 1;
  const ofKind = isPrice(newest);
  return [newest, ...entries.filter((entry) => isPrice(entry) !== ofKind || left-- > 0)];
}

/** Those of prices come every second, and hide the others. */
export const isPrice = ({ message }: LogEntry) => "channel" in message && message.channel === "prices";
