/**
 * Stores the Idempotency-Keys of requests whose outcome is uncertain, so that a repeated request keeps its key after a
 * restart. A page may use localStorage, a bot a file.
 */
export type KeyStore = {
  /** Returns the saved keys of a request, or undefined or null if none are saved. */
  load(request: string): Promise<string | null | undefined> | string | null | undefined;
  /** Saves one key, or several separated by spaces if equal requests were made at the same time. */
  save(request: string, keys: string): unknown;
  remove(request: string): unknown;
};

/** Keeps keys in memory until the page or process ends. */
export function keysInMemory(): KeyStore {
  const kept = new Map<string, string>();
  return {
    load: (request) => kept.get(request),
    save: (request, keys) => kept.set(request, keys),
    remove: (request) => kept.delete(request),
  };
}

/** One use of a key. Pass true to `end` if the service has certainly answered. */
export type KeyInUse = { key: string; end(certain: boolean): Promise<void> };

/** Provides keys for requests. Equal requests at the same time count as different and get different keys. */
export class RequestKeys {
  readonly #store: KeyStore;
  readonly #inUse = new Set<string>();
  /** The store's current operation. Changes wait for it, so that none is lost. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(store: KeyStore) {
    this.#store = store;
  }

  /**
   * Takes a key for a request.
   *
   * @throws the store's error: a request whose key cannot be saved must not be sent
   */
  async take(request: string): Promise<KeyInUse> {
    const key = await this.#inTurn(async () => {
      const kept = await this.#load(request);
      const free = kept.find((one) => !this.#inUse.has(one));
      const taken = free ?? newKey();
      if (free === undefined) await this.#save(request, [...kept, taken]);
      this.#inUse.add(taken);
      return taken;
    });
    // Waits until earlier calls have taken their keys, so that none of them gets this key.
    const end = (certain: boolean) =>
      this.#inTurn(async () => {
        this.#inUse.delete(key);
        if (certain) await this.#keep(request, (one) => one !== key);
      });
    return { key, end };
  }

  /** Forgets the keys of earlier requests, but not of requests in progress. */
  async forget(request: string): Promise<void> {
    await this.#inTurn(() => this.#keep(request, (one) => this.#inUse.has(one)));
  }

  async #keep(request: string, isKept: (key: string) => boolean): Promise<void> {
    await this.#save(request, (await this.#load(request)).filter(isKept));
  }

  async #load(request: string): Promise<string[]> {
    return (await this.#store.load(request))?.split(" ") ?? [];
  }

  async #save(request: string, keys: readonly string[]): Promise<void> {
    await (keys.length > 0 ? this.#store.save(request, keys.join(" ")) : this.#store.remove(request));
  }

  #inTurn<Value>(act: () => Promise<Value>): Promise<Value> {
    const turn = this.#turn.then(act);
    this.#turn = turn.catch(() => {});
    return turn;
  }
}

/** Makes a key of 128 bits. Pages without HTTPS have no randomUUID. */
const newKey = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join(
    "",
  );
