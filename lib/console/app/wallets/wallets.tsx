import { useEffect, useRef, useState } from "preact/hooks";
import type { ExportLock as Lock, Wallet } from "trading-terminal-client";
import { importSealed } from "trading-terminal-client/seal";
import {
  type Colour,
  Field,
  Form,
  type NetworkName,
  networks,
  Panel,
  Select,
  Swatches,
} from "../controls.tsx";
import { useCall, useCopy, useDesk, useReading } from "../desk.ts";
import { DeviceHint } from "../devices/device-hint.tsx";
import { explorerPage } from "../explorers.ts";
import { day, shortened } from "../format.ts";
import { useEscape } from "../keyboard.tsx";
import { useLinks } from "../links.ts";
import { loadedPart } from "../loaded-part.tsx";
import { browserStore } from "../stores.ts";
import { freshSide } from "../ticket/fresh.ts";

const LoadedWalletPage = loadedPart("wallet", "quiet", async () => {
  const { WalletPage } = await import("./wallet-page.tsx");
  return WalletPage;
});

/** Number of wallets at which a search field appears. */
const manyWallets = 8;

/** @param props.newOn Chain of a wallet to make. Its form is open. */
export function Wallets({ newOn }: { newOn?: NetworkName }) {
  const { state, profile } = useDesk();
  const [retired, setRetired] = useRetired(profile.userID);
  const [sought, setSought] = useState("");
  const wallets = state?.wallets ?? [];
  // Waits for the list of wallets, because it then shows the restored ones.
  const gone = (state ? retired : []).filter(({ _id }) => wallets.every((wallet) => wallet._id !== _id));
  const text = sought.toLowerCase();
  const shown = wallets.filter(({ slotName, network, generatedWalletAddress }) =>
    `${slotName} ${network} ${generatedWalletAddress}`.toLowerCase().includes(text),
  );
  return (
    <Panel title="Wallets" area="wallets" aside={state && <span class="quiet">{wallets.length}</span>}>
      {wallets.length > manyWallets && (
        <Field label="Find a wallet">
          <input value={sought} onInput={({ currentTarget }) => setSought(currentTarget.value)} />
        </Field>
      )}
      <ul class="rows" aria-label="Wallets">
        {shown.map((wallet) => (
          <WalletRow key={wallet._id} wallet={wallet} onRetired={setRetired} />
        ))}
      </ul>
      {state === undefined && <p class="empty">Reading the wallets …</p>}
      {state !== undefined && wallets.length === 0 && (
        <p class="empty">No wallets yet. Make one, or import one that you have.</p>
      )}
      {gone.length > 0 && (
        <ul class="rows" aria-label="Retired here">
          {gone.map((wallet) => (
            <RetiredRow key={wallet._id} wallet={wallet} />
          ))}
        </ul>
      )}
      <MakeWallet on={newOn} />
      <ImportWallet />
      <ExportLock />
      <DeviceHint />
    </Panel>
  );
}

type Retired = Pick<Wallet, "_id" | "slotName" | "network"> & { restorableUntil: string };

/**
 * Remembers the wallets that were retired in this browser as long as they can be restored, because the service lists
 * only active wallets.
 */
function useRetired(userID: string) {
  const name = `retired-wallets ${userID}`;
  const read = () =>
    (JSON.parse(browserStore.get(name) ?? "[]") as Retired[]).filter(
      ({ restorableUntil }) => Date.parse(restorableUntil) > Date.now(),
    );
  const [retired, setRetired] = useState(read);
  useEffect(() => setRetired(read()), [userID]);
  function add(wallet: Retired) {
    const kept = [wallet, ...read().filter(({ _id }) => _id !== wallet._id)];
    browserStore.set(name, JSON.stringify(kept));
    setRetired(kept);
  }
  return [retired, add] as const;
}

function RetiredRow({ wallet: { _id: walletId, slotName, network } }: { wallet: Retired }) {
  const { terminal, notify } = useDesk();
  const { call, isBusy } = useCall();
  async function restore() {
    if (await call(() => terminal.restoreWallet({ path: { walletId } }))) notify(`${slotName} is restored`);
  }
  return (
    <li class="wallet quiet">
      <strong>{slotName}</strong>
      <span class="badge">{network}, retired</span>
      <button type="button" class="plain" disabled={isBusy} onClick={restore}>
        Restore
      </button>
    </li>
  );
}

function WalletRow({ wallet, onRetired }: { wallet: Wallet; onRetired: (retired: Retired) => void }) {
  const { terminal, notify, ticket, openTicket } = useDesk();
  const [isOpen, setOpen] = useState(false);
  const { call, isBusy } = useCall();
  const copy = useCopy();
  const [isEdited, setEdited] = useState(false);
  const [isAsked, setAsked] = useState(false);
  const { generatedWalletAddress: address, _id: walletId } = wallet;

  function trade() {
    const { network: chain } = wallet;
    const token = ticket.chain === chain ? ticket.token : "";
    openTicket({ chain, wallet: address, token, ...freshSide("buy") });
  }
  async function retire() {
    const done = await call(() => terminal.retireWallet({ path: { walletId } }));
    if (!done) return;
    const { slotName, network } = wallet;
    onRetired({ _id: walletId, slotName, network, restorableUntil: done.restorableUntil });
    notify(`${slotName} is retired. It can be restored until ${day(done.restorableUntil)}`);
  }

  return (
    <li class="wallet">
      <i class={`dot ${wallet.colortag}`} />
      <strong>{wallet.slotName}</strong>
      <span class="badge">{wallet.network}</span>
      <button
        type="button"
        class="plain address"
        onClick={() => copy(address, "The address")}
        title={`Copy ${address}`}
      >
        {shortened(address)}
      </button>
      <ExplorerLink wallet={wallet} />
      <button type="button" class="plain" onClick={trade}>
        Trade
      </button>
      <button type="button" class="plain" onClick={() => setOpen(true)}>
        Open
      </button>
      <button type="button" class="plain" aria-expanded={isEdited} onClick={() => setEdited(!isEdited)}>
        Edit
      </button>
      {isOpen && <LoadedWalletPage wallet={wallet} onClose={() => setOpen(false)} />}
      {isEdited && (
        <EditWallet wallet={wallet} onDone={() => setEdited(false)}>
          {isAsked ? (
            <>
              <button type="button" onClick={() => setAsked(false)}>
                Keep it
              </button>
              <button type="button" class="danger" disabled={isBusy} onClick={retire}>
                Yes, retire it
              </button>
            </>
          ) : (
            <button type="button" class="danger" onClick={() => setAsked(true)}>
              Retire
            </button>
          )}
        </EditWallet>
      )}
    </li>
  );
}

/** Links to the explorer separately, because a click on the address copies it. */
function ExplorerLink({ wallet: { network, generatedWalletAddress: address } }: { wallet: Wallet }) {
  const { explorers = {} } = useLinks();
  const page = explorerPage(explorers, network, "wallet", address);
  if (page === undefined) return null;
  return (
    <a href={page} rel="noopener noreferrer" target="_blank">
      Explorer
    </a>
  );
}

type EditProps = { wallet: Wallet; onDone: () => void; children: preact.ComponentChildren };

function EditWallet({ wallet, onDone, children }: EditProps) {
  const { terminal } = useDesk();
  const { call, isBusy } = useCall();
  const [slotName, setName] = useState(wallet.slotName);
  const [colortag, setColour] = useState<Colour>(wallet.colortag as Colour);
  useEscape(onDone);
  async function save() {
    const path = { walletId: wallet._id };
    if (await call(() => terminal.updateWallet({ path, body: { slotName, colortag } }))) onDone();
  }
  return (
    <Form label={`Edit ${wallet.slotName}`} class="edit" onSubmit={save}>
      <Field label="Name">
        <input
          value={slotName}
          maxLength={40}
          onInput={({ currentTarget }) => setName(currentTarget.value)}
        />
      </Field>
      <Swatches name={`colour-${wallet._id}`} value={colortag} onPick={setColour} />
      <div class="buttons">
        <button type="submit" disabled={isBusy}>
          Save
        </button>
        {children}
      </div>
    </Form>
  );
}

function MakeWallet({ on }: { on: NetworkName | undefined }) {
  const { terminal, notify } = useDesk();
  const { call, isBusy } = useCall();
  const [network, setNetwork] = useState<NetworkName>(on ?? "eth");
  const [slotName, setName] = useState("");
  const [colortag, setColour] = useState<Colour>();
  const drawer = useRef<HTMLDetailsElement>(null);
  async function make() {
    const body = { network, ...(slotName && { slotName }), ...(colortag && { colortag }) };
    const made = await call(() => terminal.createWallet({ body }));
    if (!made) return;
    notify(`${made.wallet.slotName} is made`);
    setName("");
    if (drawer.current) drawer.current.open = false;
  }
  return (
    <details class="drawer" ref={drawer} open={on !== undefined}>
      <summary autofocus={on !== undefined}>Make a wallet</summary>
      <Form label="Make a wallet" onSubmit={make}>
        <Select label="Network" value={network} options={networks} onPick={setNetwork} />
        <Field label="Name" hint="optional">
          <input
            value={slotName}
            maxLength={40}
            onInput={({ currentTarget }) => setName(currentTarget.value)}
          />
        </Field>
        <Swatches name="colour-new" value={colortag} onPick={setColour} />
        <button type="submit" class="primary" disabled={isBusy}>
          Make
        </button>
      </Form>
    </details>
  );
}

function ImportWallet() {
  const { terminal, profile, notify } = useDesk();
  const { call, isBusy } = useCall();
  const [network, setNetwork] = useState<NetworkName>("eth");
  const [privateKey, setKey] = useState("");
  async function send() {
    // Clears the key from the page as soon as it has been read.
    setKey("");
    const { userID } = profile;
    // Trusts any import key, because this page comes from the service itself. Other clients should name trusted keys.
    const wanted = { network, privateKey, userID, trustedKeyIds: "any" } as const;
    const imported = await call(() => importSealed(terminal, wanted));
    if (imported) notify(`${imported.wallet.slotName} is imported`);
  }
  return (
    <details class="drawer">
      <summary>Import a wallet, sealed</summary>
      <Form label="Import a wallet" onSubmit={send} data-unsaved={privateKey !== "" || undefined}>
        <Select label="Network" value={network} options={networks} onPick={setNetwork} />
        <Field label="Private key" hint="hex, base58, or the bytes of an id.json; encrypted in this page">
          <input
            type="password"
            autocomplete="new-password"
            value={privateKey}
            onInput={({ currentTarget }) => setKey(currentTarget.value)}
          />
        </Field>
        <button type="submit" class="primary" disabled={isBusy || privateKey === ""}>
          Seal and import
        </button>
      </Form>
    </details>
  );
}

/** Locks the exports of all wallets. Users should do this first when somebody else may have their session. */
function ExportLock() {
  const { terminal, notify, guardNews } = useDesk();
  const { call, isBusy } = useCall();
  const [lock, setLock] = useState<Lock>();
  const show = (answer: { lock: Lock } | undefined) => answer && setLock(answer.lock);

  // The service reports no lock if the deployment has no exports.
  const news = guardNews.find(({ of }) => of === "lock")?.id;
  useReading(() => void terminal.getExportLock().then(({ data }) => show(data)), [news]);

  if (lock === undefined) return null;
  async function change() {
    // Locking again cancels a pending unlocking.
    const ask = lock?.status === "locked" ? terminal.unlockExports : terminal.lockExports;
    const answer = await call(() => ask());
    show(answer);
    if (answer)
      notify(answer.lock.status === "locked" ? "Exports are locked" : "The lock opens after the delay");
  }
  return (
    <p class="lock">
      <span>
        Exports are {lock.status}
        {"unlocksAt" in lock && lock.unlocksAt ? `, and unlock at ${day(lock.unlocksAt)}` : ""}
      </span>
      <button type="button" disabled={isBusy} onClick={change}>
        {lock.status === "locked" ? "Unlock" : "Lock exports"}
      </button>
    </p>
  );
}
