import type { InvokeResult } from "./invoke.ts";
import { stopping } from "./outcome.ts";
import type { Sandbox } from "./sandbox.ts";

/** The sandboxes of one function. Events beyond `size` at a time wait in the order of their arrival. */
export type Pool = {
  invoke(payload: string): Promise<InvokeResult>;
  stop(): Promise<void>;
};

export function createPool(create: () => Sandbox, size: number): Pool {
  const all = new Set<Sandbox>();
  const idle: Sandbox[] = [];
  const waiting: (() => void)[] = [];
  let places = size;
  let stopped = false;

  async function enter(): Promise<void> {
    if (places > 0) places--;
    else await new Promise<void>((proceed) => waiting.push(proceed));
  }

  /** The place goes straight to who has waited longest: nobody can come in between. */
  function leave(): void {
    const proceed = waiting.shift();
    if (proceed === undefined) places++;
    else proceed();
  }

  /** The sandbox that was used last, else a new one. */
  function take(): Sandbox {
    for (let sandbox = idle.pop(); sandbox !== undefined; sandbox = idle.pop()) {
      if (sandbox.usable) return sandbox;
      all.delete(sandbox);
    }
    const made = create();
    all.add(made);
    return made;
  }

  return {
    async invoke(payload) {
      await enter();
      try {
        if (stopped) return stopping();
        const sandbox = take();
        const result = await sandbox.invoke(payload);
        idle.push(sandbox);
        return result;
      } finally {
        leave();
      }
    },
    async stop() {
      stopped = true;
      await Promise.all([...all].map((sandbox) => sandbox.stop()));
    },
  };
}
