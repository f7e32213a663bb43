/**
 * Keeps the Idempotency-Keys of requests that have no certain answer yet. A page may use localStorage, a bot a file, so that
 * both repeat such a request with the same key after a restart.
 */
export type KeyStore = {
  /** What was saved for this request; undefined or null if nothing was. */
  load(request: string): Promise<string | null | undefined> | string | null | undefined;
  /** `keys`: one key, or several with spaces between them if equal requests were made at the same time. */
  save(request: string, keys: string): unknown;
  remove(request: string): unknown;
};

/** Keeps keys as long as the page or the process lives. */
export function keysInMemory(): KeyStore {
  const kept = new Map<string, string>();
  return {
    load: (request) => kept.get(request),
    save: (request, keys) => kept.set(request, keys),
    remove: (request) => kept.delete(request),
  };
}

/** One use of a key: `end` says whether the service has surely answered. */
export type KeyInUse = { key: string; end(certain: boolean): Promise<void> };

/** Hands out keys. Equal requests at the same time are different requests, so each gets a key of its own. */
export class RequestKeys {
  readonly #store: KeyStore;
  readonly #inUse = new Set<string>();
  /** What the store is doing, so that no change is based on what another is replacing. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(store: KeyStore) {
    this.#store = store;
  }

  /** @throws as the store does: what cannot be saved must not be sent */
  async take(request: string): Promise<KeyInUse> {
    const key = await this.#inTurn(async () => {
      const kept = await this.#load(request);
      const free = kept.find((one) => !this.#inUse.has(one));
      const taken = free ?? newKey();
      if (free === undefined) await this.#save(request, [...kept, taken]);
      this.#inUse.add(taken);
      return taken;
    });
    // In turn, so that whoever has been waiting for a key meanwhile does not get this one.
    const end = (certain: boolean) =>
      this.#inTurn(async () => {
        this.#inUse.delete(key);
        if (!certain) return;
        const kept = await this.#load(request);
        await this.#save(
          request,
          kept.filter((one) => one !== key),
        );
      });
    return { key, end };
  }

  /** Forgets the keys of earlier requests. Those of requests that are on their way stay. */
  async forget(request: string): Promise<void> {
    await this.#inTurn(async () => {
      const kept = await this.#load(request);
      await this.#save(
        request,
        kept.filter((one) => this.#inUse.has(one)),
      );
    });
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

/** 128 bits. Pages without HTTPS have no randomUUID. */
const newKey = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join(
    "",
  );
