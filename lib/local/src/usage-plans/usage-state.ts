import type { Usage } from "./model.ts";

/** The keys and plans as they are now: what the control plane changes and what requests are checked against. */
export type UsageState = {
  readonly current: Usage;
  /** What cannot be saved did not happen. */
  change(part: Partial<Usage>): void;
  /** Hears of every change once it has been made. */
  onChange(listener: () => void): void;
};

/** @param save makes a state durable; it has finished when it returns */
export function createUsageState(initial: Usage, save: (usage: Usage) => void = () => {}): UsageState {
  let current = initial;
  const listeners: (() => void)[] = [];
  return {
    get current() {
      return current;
    },
    change(part) {
      const next = { ...current, ...part };
      save(next);
      current = next;
      for (const listener of listeners) listener();
    },
    onChange: (listener) => void listeners.push(listener),
  };
}
