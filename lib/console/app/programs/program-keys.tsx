import { useState } from "preact/hooks";
import { Confirmation, Panel, Unread } from "../controls.tsx";
import { useCall, useCopy, useDesk, useReading } from "../desk.ts";
import { day } from "../format.ts";
import { useNow } from "../ticket/fresh-quote.ts";
import { KeyFile } from "./key-file.tsx";
import { KeyForm } from "./key-form.tsx";
import { limitsText, type MadeKey, type ProgramKey } from "./key-terms.ts";

/** Lists the keys by which programs act for the user, and makes and revokes them. */
export function ProgramKeys() {
  const { terminal } = useDesk();
  const [read, setRead] = useState<readonly ProgramKey[] | "unread">();
  const [reads, setReads] = useState(0);
  const [made, setMade] = useState<MadeKey>();
  const again = () => setReads((count) => count + 1);
  useReading(
    (signal) =>
      void terminal.listKeys({ signal }).then(({ data }) => {
        if (!signal.aborted) setRead(data?.keys ?? "unread");
      }),
    [reads],
  );
  return (
    <Panel title="Program keys" area="programs">
      <p>
        A program, such as a bot or an agent, signs its requests by a key of its own. It can never export
        wallets, unlock exports, or make keys and devices.
      </p>
      {read === undefined && <p class="empty">Reading your program keys …</p>}
      {read === "unread" && <Unread what="program keys" onRetry={again} />}
      {typeof read === "object" && read.length === 0 && <p class="empty">No program has a key.</p>}
      {typeof read === "object" && (
        <ul class="rows" aria-label="Program keys">
          {read.map((key) => (
            <KeyRow key={key.keyId} of={key} onRevoked={again} />
          ))}
        </ul>
      )}
      {made === undefined ? (
        <details class="drawer">
          <summary>Make a program key</summary>
          <KeyForm
            onMade={(next) => {
              setMade(next);
              again();
            }}
          />
        </details>
      ) : (
        <KeyFile made={made} onDone={() => setMade(undefined)} />
      )}
    </Panel>
  );
}

function KeyRow({ of, onRevoked }: { of: ProgramKey; onRevoked: () => void }) {
  const { terminal, notify } = useDesk();
  const { call, isBusy } = useCall();
  const copy = useCopy();
  const nowMs = useNow();
  const [isAsked, setAsked] = useState(false);
  const { keyId, name, scopes, expiresAt, revokedAt } = of;
  const hasEnded = Date.parse(expiresAt) <= nowMs;
  const isInForce = revokedAt === undefined && !hasEnded;
  async function revoke() {
    setAsked(false);
    if (!(await call(() => terminal.deleteKey({ path: { keyId } })))) return;
    notify(`${name} is revoked`);
    onRevoked();
  }
  return (
    <li class={isInForce ? "wallet" : "wallet quiet"}>
      <strong>{name}</strong>
      {scopes.map((scope) => (
        <span key={scope} class="badge">
          {scope}
        </span>
      ))}
      <button
        type="button"
        class="plain address"
        title={`Copy ${keyId}`}
        onClick={() => copy(keyId, "The id of the key")}
      >
        {keyId.slice(0, 9)}…
      </button>
      {isInForce && !isAsked && (
        <button type="button" class="plain" aria-label={`Revoke ${name}`} onClick={() => setAsked(true)}>
          Revoke
        </button>
      )}
      <p class="quiet">
        {scopes.includes("trade") && `${limitsText(of)} `}
        {revokedAt !== undefined
          ? `Revoked on ${day(revokedAt)}.`
          : `${hasEnded ? "Ended" : "Ends"} on ${day(expiresAt)}.`}
      </p>
      {isAsked && (
        <Confirmation yes="Yes, revoke it" isBusy={isBusy} onYes={revoke} onKeep={() => setAsked(false)}>
          From its next request on, the program can do nothing more. Its stream closes within seconds, and its
          open and resting orders are cancelled. This cannot be undone.
        </Confirmation>
      )}
    </li>
  );
}
