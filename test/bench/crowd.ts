import { setTimeout as pause } from "node:timers/promises";
import { type Child, startChild } from "./child.ts";
import type { ClientAnswer, ClientRequest, TickReport } from "./client-process.ts";

/** Clients spread over separate processes. */
export type Crowd = {
  /**
   * Waits until each client has received this many messages, or until no message has arrived for a long time.
   *
   * @param onProgress called whenever more messages have arrived
   */
  settle(messages: number, onProgress?: () => void): Promise<void>;
  report(): Promise<{ ticks: TickReport[]; closed: number }>;
  stop(): Promise<void>;
};

export type CrowdOptions = {
  url: string;
  clients: number;
  processes: number;
  /** Users' tokens, shared among the clients. Empty for a server without authentication. */
  tokens: readonly string[];
  /** True if clients must subscribe to prices. */
  subscribe: boolean;
};

/** Milliseconds of silence to wait for, longer than the pause between two delivery attempts of the service. */
const silenceMs = 15_000;
const pollMs = 100;

/** Resolves when all clients are connected and, if required, subscribed. */
export async function openCrowd({ clients, processes, ...rest }: CrowdOptions): Promise<Crowd> {
  const children = await Promise.all(
    Array.from({ length: processes }, () => startChild<ClientRequest, ClientAnswer>("client-process.ts")),
  );
  const share = (index: number) => Math.floor((clients + index) / processes);
  const all = (requestOf: (index: number) => ClientRequest) =>
    Promise.all(
      children.map((child: Child<ClientRequest, ClientAnswer>, index) => child.ask(requestOf(index))),
    );
  await all((index) => ({ do: "connect", clients: share(index), ...rest }));

  const received = async () =>
    (await all(() => ({ do: "count" }))).reduce((sum, { messages }) => sum + messages, 0);

  return {
    async settle(messages, onProgress = () => {}) {
      let count = -1;
      let changedAt = Date.now();
      for (;;) {
        const latest = await received();
        if (latest !== count) {
          count = latest;
          changedAt = Date.now();
          onProgress();
        }
        if (count >= messages * clients || Date.now() - changedAt > silenceMs) return;
        await pause(pollMs);
      }
    },
    async report() {
      const answers = await all(() => ({ do: "report" }));
      return {
        ticks: answers.flatMap(({ ticks }) => ticks),
        closed: answers.reduce((sum, { closed }) => sum + closed, 0),
      };
    },
    async stop() {
      await Promise.all(children.map((child) => child.stop()));
    },
  };
}
