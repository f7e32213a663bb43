import { useState } from "preact/hooks";
import type { Wallet } from "trading-terminal-client";
import { Choice, Dialog } from "../controls.tsx";
import { useCopy } from "../desk.ts";
import { DeviceHint } from "../devices/device-hint.tsx";
import { chainName, coinOf } from "../format.ts";
import { TestCoins } from "../test-coins.tsx";
import { AddressCode } from "./address-code.tsx";
import { ExportView } from "./exports.tsx";
import { PolicyForm } from "./policy-form.tsx";
import { WalletEvents } from "./wallet-events.tsx";

const parts = [
  ["deposit", "Deposit"],
  ["policy", "Limits"],
  ["events", "History"],
  ["export", "Export"],
] as const;

/** Shows everything about one wallet. */
export function WalletPage({ wallet, onClose }: { wallet: Wallet; onClose: () => void }) {
  const [part, setPart] = useState<(typeof parts)[number][0]>("deposit");
  return (
    <Dialog title={wallet.slotName} onClose={onClose}>
      <Choice label="Part" name="wallet-part" value={part} options={parts} onPick={setPart} />
      {part === "deposit" && <Deposit wallet={wallet} />}
      {part === "policy" && <PolicyForm wallet={wallet} />}
      {part === "events" && <WalletEvents wallet={wallet} />}
      {part === "export" && <ExportView wallet={wallet} />}
      {(part === "policy" || part === "export") && <DeviceHint />}
    </Dialog>
  );
}

function Deposit({ wallet: { network, generatedWalletAddress: address } }: { wallet: Wallet }) {
  const copy = useCopy();
  return (
    <div class="deposit">
      <AddressCode address={address} />
      <p>
        Send {coinOf[network]} or tokens on <strong>{chainName[network]}</strong> to this address. What is
        sent on another chain does not arrive here.
      </p>
      <code class="whole">{address}</code>
      <button type="button" onClick={() => copy(address, "The address")}>
        Copy the address
      </button>
      <TestCoins chain={network} wallet={address} />
    </div>
  );
}
