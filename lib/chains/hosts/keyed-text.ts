/**
 * A host's URL, or an API key. A function if the text contains keys of hosts, which are read when they are first
 * needed.
 */
export type KeyedText = string | (() => Promise<string>);

/** Makes a text that may name keys, such as `https://rpc.example/v2/{alchemy}`. */
export type ToKeyedText = (text: string) => KeyedText;

export const keyNames = /^[a-z][a-z\d-]{0,31}$/;

/** A key's name in a URL. */
const placeholder = /\{([a-z][a-z\d-]{0,31})\}/g;

/** Lists the keys that a text names. */
export const keysNamedIn = (text: string): string[] =>
  [...text.matchAll(placeholder)].map(([, name = ""]) => name);

/** Characters that keep their meaning in a path, a query and a header, so that a key cannot change a URL's host. */
export const keyCharacters = /^[\w.~-]{1,512}$/;

/** Keys of hosts by the names that URLs give them. */
export type HostKeys = Readonly<Record<string, string>>;

/** @throws {Error} if a key is missing */
export const fillKeys = (text: string, keys: HostKeys): string =>
  text.replaceAll(placeholder, (_, name: string) => {
    const key = Object.hasOwn(keys, name) ? keys[name] : undefined;
    if (key === undefined) throw new Error(`The keys of hosts lack ${name}, which a URL names`);
    return key;
  });

/** @param readKeys Reads all keys. Called for each request, so it should remember them. */
export const withKeys =
  (readKeys: () => Promise<HostKeys>): ToKeyedText =>
  (text) =>
    keysNamedIn(text).length === 0 ? text : async () => fillKeys(text, await readKeys());

/** @throws if the signal aborts before the keys are read, because nothing else limits how long that takes. */
export async function filledText(text: KeyedText, signal?: AbortSignal): Promise<string> {
  if (typeof text === "string") return text;
  signal?.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const fail = () => reject(signal?.reason);
  signal?.addEventListener("abort", fail);
  try {
    return await Promise.race([text(), aborted]);
  } finally {
    signal?.removeEventListener("abort", fail);
  }
}
