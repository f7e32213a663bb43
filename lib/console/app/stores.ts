/** A store of the browser, by name. Values for which the browser has no room end with the page. */
export type Store = {
  get(name: string): string | undefined;
  set(name: string, value: string): void;
  remove(name: string): void;
  names(): string[];
  /** True if the browser keeps nothing for this page, so that the content ends with it. */
  isBlocked: boolean;
};

/** Opens a store. Browsers can block it, which shows when it is first touched. */
export function openStore(open: () => Storage | null): Store {
  const storage = opened(open);
  const homeless = new Map<string, string>();
  return {
    get: (name) => homeless.get(name) ?? storage?.getItem(name) ?? undefined,
    set(name, value) {
      homeless.set(name, value);
      if (storage === undefined) return;
      try {
        storage.setItem(name, value);
        homeless.delete(name);
      } catch {
        // The store is full.
      }
    },
    remove(name) {
      homeless.delete(name);
      storage?.removeItem(name);
    },
    names: () => [...new Set([...homeless.keys(), ...Object.keys(storage ?? {})])],
    isBlocked: storage === undefined,
  };
}

function opened(open: () => Storage | null): Storage | undefined {
  try {
    return open() ?? undefined;
  } catch {
    return undefined;
  }
}

/** Store of all pages of this origin, which outlives the browser. */
export const browserStore = openStore(() => localStorage);

/** Store of this tab, which outlives a reload. */
export const tabStore = openStore(() => sessionStorage);
