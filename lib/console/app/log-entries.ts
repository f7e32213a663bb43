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

/** The limit for prices, and for all other messages. */
const mostMessages = 200;

/** Adds the newest entry. Prices have their own share, so that they displace no other messages. */
export function withNewest(entries: readonly LogEntry[], newest: LogEntry): LogEntry[] {
  let left = mostMessages - 1;
  const ofKind = isPrice(newest);
  return [newest, ...entries.filter((entry) => isPrice(entry) !== ofKind || left-- > 0)];
}

/** Price messages come every second and would hide the others. */
export const isPrice = ({ message }: LogEntry) => "channel" in message && message.channel === "prices";
