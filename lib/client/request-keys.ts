/**
 * Keeps the Idempotency-Key of each request that has no certain answer yet. A page may use localStorage, a bot a file, so that
 * both repeat such a request with the same key after a restart.
 */
export type KeyStore = {
  /** The key that was saved for this request; undefined or null if there is none. */
  load(request: string): Promise<string | null | undefined> | string | null | undefined;
  save(request: string, key: string): unknown;
  remove(request: string): unknown;
};

/** Keeps keys as long as the page or the process lives. */
export function keysInMemory(): KeyStore {
  const keys = new Map<string, string>();
  return {
    load: (request) => keys.get(request),
    save: (request, key) => keys.set(request, key),
    remove: (request) => keys.delete(request),
  };
}

/** One use of a key: `end` says whether the service has surely answered. */
export type KeyInUse = { key: string; end(certain: boolean): Promise<void> };

/** Hands out keys. Equal requests at the same time are different requests, so each gets a key of its own. */
export class RequestKeys {
  readonly #store: KeyStore;
  readonly #inUse = new Set<string>();

  constructor(store: KeyStore) {
    this.#store = store;
  }

  /** @throws as the store does: what cannot be saved must not be sent */
  async take(request: string): Promise<KeyInUse> {
    let name = request;
    for (let count = 2; this.#inUse.has(name); count++) name = `${request} #${count}`;
    this.#inUse.add(name);
    try {
      const saved = await this.#store.load(name);
      const key = saved ?? newKey();
      if (saved === undefined || saved === null) await this.#store.save(name, key);
      return {
        key,
        end: async (certain) => {
          try {
            if (certain) await this.#store.remove(name);
          } finally {
            this.#inUse.delete(name);
          }
        },
      };
    } catch (error) {
      this.#inUse.delete(name);
      throw error;
    }
  }
}

/** 128 bits. Pages without HTTPS have no randomUUID. */
const newKey = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join(
    "",
  );
