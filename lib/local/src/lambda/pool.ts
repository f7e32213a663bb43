import { type InvokeResult, stopping } from "./invoke.ts";
import type { Sandbox } from "./sandbox.ts";

/** The sandboxes of one function. At most `size` events run at a time; others wait in order of arrival. */
export type Pool = {
  invoke(payload: string): Promise<InvokeResult>;
  /**
   * Creates sandboxes with another function from now on. Events in a sandbox finish there; events that still
   * wait get a new sandbox. Resolves once the last old sandbox has ended.
   */
  replace(create: () => Sandbox): Promise<void>;
  stop(): Promise<void>;
};

export function createPool(create: () => Sandbox, size: number): Pool {
  let current = { create, idle: [] as Sandbox[] };
  const running = new Set<Sandbox>();
  const waiting: (() => void)[] = [];
  let places = size;
  let stopped = false;

  async function enter(): Promise<void> {
    if (places > 0) places--;
    else await new Promise<void>((proceed) => waiting.push(proceed));
  }

  /** The place goes straight to the event that has waited longest, so that no newcomer overtakes it. */
  function leave(): void {
    const proceed = waiting.shift();
    if (proceed === undefined) places++;
    else proceed();
  }

  /** The most recently used idle sandbox, or a new one. */
  function take(): Sandbox {
    for (let sandbox = current.idle.pop(); sandbox !== undefined; sandbox = current.idle.pop()) {
      if (sandbox.usable) return sandbox;
    }
    const sandbox = current.create();
    running.add(sandbox);
    void sandbox.ended.then(() => running.delete(sandbox));
    return sandbox;
  }

  return {
    async invoke(payload) {
      await enter();
      try {
        if (stopped) return stopping();
        const generation = current;
        const sandbox = take();
        const result = await sandbox.invoke(payload);
        if (generation === current) generation.idle.push(sandbox);
        else sandbox.stop();
        return result;
      } finally {
        leave();
      }
    },
    async replace(create) {
      const old = [...running];
      const { idle } = current;
      current = { create, idle: [] };
      for (const sandbox of idle) sandbox.stop();
      await Promise.all(old.map(({ ended }) => ended));
    },
    async stop() {
      stopped = true;
      for (const sandbox of running) sandbox.stop();
      await Promise.all([...running].map(({ ended }) => ended));
    },
  };
}
