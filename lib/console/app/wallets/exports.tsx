import bs58 from "bs58";
import { useState } from "preact/hooks";
import type { Wallet } from "trading-terminal-client";
import { type ExportState, newExportKeys, walletExporter } from "trading-terminal-client/seal";
import { useCall, useDesk } from "../desk.ts";
import { day } from "../format.ts";

const keyText = (network: Wallet["network"], key: Uint8Array) =>
  network === "sol" ? bs58.encode(key) : `0x${key.toHex()}`;

/** Exports the private key of a wallet to this browser, after the delay of the service. */
export function ExportView({ wallet }: { wallet: Wallet }) {
  const { terminal, profile, notify } = useDesk();
  const { call, isBusy } = useCall();
  const [state, setState] = useState<ExportState>();
  const [isShown, setShown] = useState(false);
  const { _id: walletId, network } = wallet;

  async function ask() {
    const exporter = await walletExporter(terminal, await exportKeysOf(walletId), {
      walletId,
      network,
      userID: profile.userID,
    });
    setState(await call(() => exporter.ask()));
  }
  async function cancel() {
    if (await call(() => terminal.cancelExport({ path: { walletId } }))) {
      setState(undefined);
      notify("The export is cancelled");
    }
  }
  return (
    <div class="export">
      <p>
        The private key alone controls the wallet. An export waits for the delay of the service, and is
        announced on every page where you are signed in.
      </p>
      {state?.status === "pending" && (
        <p class="notice">The key can be read from {day(state.availableAt)} on, in this browser only.</p>
      )}
      {state?.status === "foreign" && (
        <p class="notice bad">
          Somebody else has requested an export of this wallet. Cancel it, and lock your exports.
        </p>
      )}
      {state?.status === "ready" ? (
        <>
          <code class="whole" data-unsaved>
            {isShown ? keyText(network, state.privateKey) : "•".repeat(32)}
          </code>
          <button type="button" class="danger" onClick={() => setShown(!isShown)}>
            {isShown ? "Hide the private key" : "Show the private key"}
          </button>
        </>
      ) : (
        <button type="button" class="danger" disabled={isBusy} onClick={ask}>
          {state === undefined ? "Request the export" : "Ask again"}
        </button>
      )}
      <button type="button" disabled={isBusy} onClick={cancel}>
        Cancel the export
      </button>
    </div>
  );
}

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
async function exportKeysOf(walletId: string): Promise<Keys> {
  const kept = await finished<Keys | undefined>((await openStore("readonly")).get(walletId));
  if (kept !== undefined) return kept;
  const keys = await newExportKeys();
  await finished((await openStore("readwrite")).put(keys, walletId));
  return keys;
}
