import { isDeepStrictEqual } from "node:util";

/** A message from the service. */
export type Message = { type: string; [field: string]: unknown };

/** Fields that a message must have, or a condition on it. */
export type Wanted = Partial<Message> | ((message: Message) => boolean);

/** Messages of a connection, with ways to wait for them. */
export type Inbox = {
  /** All messages received so far, in order of arrival. */
  readonly received: readonly Message[];
  /** Takes the first matching message that has not been taken yet. Waits for it while the connection lasts. */
  take(wanted: Wanted): Promise<Message>;
  /**
   * Finds the first matching message without taking it, even if it was taken before. Waits while the connection lasts.
   */
  see(wanted: Wanted): Promise<Message>;
};

/** Far longer than a cold start, in ms. Only failing tests wait this long. */
const patienceMs = 30_000;

type Waiting = { wanted: Wanted; taking: boolean; settle(outcome: Message | Error): void };

export function createInbox(): Inbox & { put(text: string): void; close(code: number): void } {
  const received: Message[] = [];
  const untaken: Message[] = [];
  const waiting = new Set<Waiting>();
  let closedWith: number | undefined;

  const failure = (why: string, wanted: Wanted) => {
    const instead = received.map(describe).join(", ") || "nothing";
    return new Error(`${why} before ${describe(wanted)} arrived; received: ${instead}`);
  };

  function wait(wanted: Wanted, taking: boolean): Promise<Message> {
    if (closedWith !== undefined) return Promise.reject(failure(`Closed with ${closedWith}`, wanted));
    const { promise, resolve, reject } = Promise.withResolvers<Message>();
    const timer = setTimeout(() => own.settle(failure("Time ran out", wanted)), patienceMs);
    const own: Waiting = {
      wanted,
      taking,
      settle(outcome) {
        clearTimeout(timer);
        waiting.delete(own);
        if (outcome instanceof Error) reject(outcome);
        else resolve(outcome);
      },
    };
    waiting.add(own);
    return promise;
  }

  return {
    received,
    async take(wanted) {
      const index = untaken.findIndex((message) => matches(message, wanted));
      const [found] = index === -1 ? [] : untaken.splice(index, 1);
      return found ?? wait(wanted, true);
    },
    async see(wanted) {
      return received.find((message) => matches(message, wanted)) ?? wait(wanted, false);
    },
    put(text) {
      const message: Message = JSON.parse(text);
      received.push(message);
      const interested = [...waiting].filter(({ wanted }) => matches(message, wanted));
      const taker = interested.find(({ taking }) => taking);
      if (taker === undefined) untaken.push(message);
      for (const each of interested) if (each === taker || !each.taking) each.settle(message);
    },
    close(code) {
      closedWith = code;
      for (const { wanted, settle } of [...waiting]) settle(failure(`Closed with ${code}`, wanted));
    },
  };
}

function matches(message: Message, wanted: Wanted): boolean {
  if (typeof wanted === "function") return wanted(message);
  return Object.entries(wanted).every(([name, value]) => isDeepStrictEqual(message[name], value));
}

const describe = (what: Wanted): string =>
  typeof what === "function" ? what.toString() : JSON.stringify({ ...what, data: undefined });
