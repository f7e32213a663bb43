import { useState } from "preact/hooks";
import type { Wallet } from "trading-terminal-client";
import { useCall, useDesk } from "../desk.ts";
import { browserStore } from "../stores.ts";
import { type GuardNews, guardText } from "./guard-news.ts";

/** Remembers dismissed news in this browser, because the service repeats all news on each new connection. */
function useDismissed(userID: string) {
  const name = `dismissed-news ${userID}`;
  const read = () => JSON.parse(browserStore.get(name) ?? "[]") as string[];
  const [dismissed, setDismissed] = useState(read);
  function dismiss(id: string) {
    const ids = [id, ...read()].slice(0, mostDismissed);
    browserStore.set(name, JSON.stringify(ids));
    setDismissed(ids);
  }
  return [dismissed, dismiss] as const;
}

const mostDismissed = 100;

/** Warns signed-in users on every page about guards that become looser, because a thief may have requested it. */
export function GuardNotices() {
  const { guardNews, state, profile } = useDesk();
  const [dismissed, dismiss] = useDismissed(profile.userID);
  const shown = guardNews.filter(({ id, isOver }) => !isOver && !dismissed.includes(id));
  // Waits until the names of the wallets are known.
  if (state === undefined || shown.length === 0) return null;
  return (
    <section class="guards" aria-label="Guards of your wallets">
      {shown.map((news) => (
        <GuardNotice
          key={news.id}
          news={news}
          wallet={state.wallets.find(({ _id }) => _id === news.walletId)}
          onDismiss={() => dismiss(news.id)}
        />
      ))}
    </section>
  );
}

type NoticeProps = { news: GuardNews; wallet: Wallet | undefined; onDismiss: () => void };

function GuardNotice({ news, wallet, onDismiss }: NoticeProps) {
  const { what, stop, undo } = guardText(news, wallet);
  const { onUndo, isBusy } = useUndo(news, onDismiss);
  return (
    <div class="notice bad">
      <p role="alert">
        <strong>{what}</strong> {stop}
      </p>
      <div class="buttons">
        {undo && (
          <button type="button" class="danger" disabled={isBusy} onClick={onUndo}>
            {undo}
          </button>
        )}
        <button type="button" aria-label={`Dismiss: ${what}`} onClick={onDismiss}>
          Dismiss
        </button>
      </div>
    </div>
  );
}

/** Makes the guard tight again. The service announces this to all pages, except for an export. */
function useUndo({ of, walletId = "", key }: GuardNews, onCancelled: () => void) {
  const { terminal, notify } = useDesk();
  const { call, isBusy } = useCall();
  const path = { walletId };

  async function cancelExport() {
    if (!(await call(() => terminal.cancelExport({ path })))) return;
    onCancelled();
    notify("The export is cancelled");
  }
  async function lock() {
    if (await call(() => terminal.lockExports())) notify("Exports are locked");
  }
  async function keepPolicy() {
    const read = await call(() => terminal.getWalletPolicy({ path }));
    // Sets the policy in force again. This drops the looser policy and needs no fresh sign-in.
    if (read && (await call(() => terminal.setWalletPolicy({ path, body: read.policy }))))
      notify("The limits stay as they are");
  }
  async function revoke() {
    if (key && (await call(() => terminal.deleteKey({ path: { keyId: key.keyId } }))))
      notify(`${key.name} is revoked`);
  }
  const onUndo = { export: cancelExport, lock, policy: keepPolicy, programKey: revoke }[of];
  return { onUndo, isBusy };
}
