import { useState } from "preact/hooks";
import { useDesk } from "../desk.ts";
import { guardText } from "./guard-news.ts";

/** Remembers dismissed news in this browser, because the service repeats all news on each new connection. */
function useDismissed(userID: string) {
  const name = `dismissed-news ${userID}`;
  const read = () => JSON.parse(localStorage.getItem(name) ?? "[]") as string[];
  const [dismissed, setDismissed] = useState(read);
  function dismiss(id: string) {
    const ids = [id, ...read()].slice(0, mostDismissed);
    localStorage.setItem(name, JSON.stringify(ids));
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
  const nameOf = (walletId: string | undefined) =>
    state.wallets.find(({ _id }) => _id === walletId)?.slotName ?? "a wallet";
  return (
    <section class="guards" aria-label="Guards of your wallets">
      {shown.map((news) => {
        const { what, stop } = guardText(news, nameOf(news.walletId));
        return (
          <div key={news.id} class="notice bad">
            <p role="alert">
              <strong>{what}</strong> {stop}
            </p>
            <button type="button" aria-label={`Dismiss: ${what}`} onClick={() => dismiss(news.id)}>
              Dismiss
            </button>
          </div>
        );
      })}
    </section>
  );
}
