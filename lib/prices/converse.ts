import type { Timings } from "./timings.ts";

export type OpenSocket = (url: string) => WebSocket;

/** What one side of a conversation says and hears. */
export type Talk = {
  requests(): readonly string[];
  /** @returns whether the message was any use */
  hear(data: unknown): boolean;
  overdue(): void;
};

export type Conversation = {
  talk: Talk;
  open: OpenSocket;
  /** Ends the conversation in good order. */
  signal: AbortSignal;
  timings: Pick<Timings, "silence" | "goodbye">;
};

/**
 * Connects and talks until the connection is over; never throws. `silent` is a connection over which nothing readable came
 * for too long, its opening included: the other end may be gone without a word, which TCP alone would take minutes to tell.
 */
export function converse(url: string, { talk, open, signal, timings }: Conversation) {
  return new Promise<"closed" | "silent">((resolve) => {
    const listening = new AbortController();
    const timers = new Set<NodeJS.Timeout>();
    const after = (milliseconds: number, act: () => void) => {
      const timer = setTimeout(act, milliseconds);
      timers.add(timer);
      return timer;
    };
    const end = (how: "closed" | "silent") => {
      listening.abort();
      for (const timer of timers) clearTimeout(timer);
      resolve(how);
    };

    let socket: WebSocket;
    try {
      socket = open(url);
    } catch {
      return end("closed");
    }
    const silence = after(timings.silence, () => {
      // A peer that is gone does not answer the closing; then the system drops the connection in its own time.
      socket.close();
      end("silent");
    });
    const on = { signal: listening.signal };
    socket.addEventListener(
      "open",
      () => {
        silence.refresh();
        for (const request of talk.requests()) socket.send(request);
        after(timings.silence, talk.overdue);
      },
      on,
    );
    socket.addEventListener("message", ({ data }) => void (talk.hear(data) && silence.refresh()), on);
    // An error is followed by the closing.
    socket.addEventListener("close", () => end("closed"), on);
    const leave = () => {
      socket.close(1000);
      after(timings.goodbye, () => end("closed"));
    };
    if (signal.aborted) leave();
    else signal.addEventListener("abort", leave, on);
  });
}
