import { setTimeout as pause } from "node:timers/promises";
import { type Child, startChild } from "./child.ts";
import type { ClientAnswer, ClientRequest, TickReport } from "./client-process.ts";

/** Clients, in processes of their own. */
export type Crowd = {
  /**
   * Waits until each has received so many messages, or nothing has come for so long that nothing will.
   *
   * @param onProgress is called whenever more messages have come
   */
  settle(messages: number, onProgress?: () => void): Promise<void>;
  report(): Promise<{ ticks: TickReport[]; closed: number }>;
  stop(): Promise<void>;
};

export type CrowdOptions = {
  url: string;
  clients: number;
  processes: number;
  /** Shared out among the clients; none for who asks for none. */
  tokens: readonly string[];
  /** Whether they have to ask for prices. */
  subscribe: boolean;
};

/** Longer than any attempt of the service's to push is apart from the next. */
const silence = 15_000;
const glance = 100;

/** Resolves when all of them are connected, and subscribed. */
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
        if (count >= messages * clients || Date.now() - changedAt > silence) return;
        await pause(glance);
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
