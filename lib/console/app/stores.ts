/** A store of the browser, by name. */
export type Store = {
  get(name: string): string | undefined;
  /** @throws {DOMException} if the store is full */
  set(name: string, value: string): void;
  remove(name: string): void;
  names(): string[];
  /** True if the browser keeps nothing for this page, so that the content ends with it. */
  isBlocked: boolean;
};

/** Opens a store. Browsers can block it, which shows when it is first touched. */
export function openStore(open: () => Storage | null): Store {
  const storage = opened(open);
  if (storage !== undefined)
    return {
      get: (name) => storage.getItem(name) ?? undefined,
      set: (name, value) => storage.setItem(name, value),
      remove: (name) => storage.removeItem(name),
      names: () => Object.keys(storage),
      isBlocked: false,
    };
  const items = new Map<string, string>();
  return {
    get: (name) => items.get(name),
    set: (name, value) => void items.set(name, value),
    remove: (name) => void items.delete(name),
    names: () => [...items.keys()],
    isBlocked: true,
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
