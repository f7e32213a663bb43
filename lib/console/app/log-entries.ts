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

/** Maximum number of price messages to keep, and of all other messages together. */
const mostMessages = 200;

/** Adds the newest entry. Prices have a limit of their own, so that they displace no other messages. */
export function withNewest(entries: readonly LogEntry[], newest: LogEntry): LogEntry[] {
  let left = mostMessages - 1;
  const ofKind = isPrice(newest);
  return [newest, ...entries.filter((entry) => isPrice(entry) !== ofKind || left-- > 0)];
}

/** True for price messages, which arrive every second and would crowd out all other messages. */
export const isPrice = ({ message }: LogEntry) => "channel" in message && message.channel === "prices";
