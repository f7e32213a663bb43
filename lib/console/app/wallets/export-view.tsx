import bs58 from "bs58";
import { useState } from "preact/hooks";
import type { Wallet } from "trading-terminal-client";
import { type ExportState, walletExporter } from "trading-terminal-client/seal";
import { useCall, useDesk } from "../desk.ts";
import { day } from "../format.ts";
import { exportKeysOf } from "./export-keys.ts";

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
          <code class="whole">{isShown ? keyText(network, state.privateKey) : "•".repeat(32)}</code>
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
