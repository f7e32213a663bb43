import { newExportKeys } from "trading-terminal-client/seal";

type Keys = Awaited<ReturnType<typeof newExportKeys>>;

const store = "keys";

function finished<Value>(request: IDBRequest<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

async function openStore(mode: IDBTransactionMode): Promise<IDBObjectStore> {
  const opening = indexedDB.open("wallet-exports", 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore(store);
  return (await finished(opening)).transaction(store, mode).objectStore(store);
}

/**
 * Returns the key pair for exporting a wallet, and creates it on first use. It outlives the page, because an export
 * takes a day. No script can read the private half.
 */
export async function exportKeysOf(walletId: string): Promise<Keys> {
  const kept = await finished<Keys | undefined>((await openStore("readonly")).get(walletId));
  if (kept !== undefined) return kept;
  const keys = await newExportKeys();
  await finished((await openStore("readwrite")).put(keys, walletId));
  return keys;
}
