import { useState } from "preact/hooks";
import type { RestRequest, Wallet, WalletEvent } from "trading-terminal-client";
import { Unread } from "../controls.tsx";
import { useCall, useDesk, useReading } from "../desk.ts";
import { day, words } from "../format.ts";

type Query = NonNullable<RestRequest<"listWalletEvents">["query"]>;

/** Splits a name such as `policyChanged` into words. */
const eventText = (name: string) => words(name.replaceAll(/([A-Z])/g, "_$1"));

/** Lists what happened to a wallet, newest first. */
export function WalletEvents({ wallet }: { wallet: Wallet }) {
  const { terminal } = useDesk();
  const { call, isBusy } = useCall();
  const [read, setRead] = useState<{ events: readonly WalletEvent[]; cursor: string | undefined }>();
  const [hasFailed, setFailed] = useState(false);
  const path = { walletId: wallet._id };

  async function more() {
    setFailed(false);
    const query = (read?.cursor ? { cursor: read.cursor } : {}) as Query;
    const page = await call(() => terminal.listWalletEvents({ path, query }));
    if (page) setRead({ events: [...(read?.events ?? []), ...page.events], cursor: page.cursor });
    else setFailed(true);
  }
  useReading(() => {
    if (read === undefined) void more();
  }, [wallet._id]);

  if (read === undefined)
    return hasFailed ? <Unread what="history" onRetry={more} /> : <p class="empty">Reading the history …</p>;
  return (
    <>
      <ol class="events" aria-label="Events, newest first">
        {read.events.map((event) => (
          <li key={`${event.time} ${event.type}`}>
            <strong>{eventText(event.type)}</strong> <time class="quiet">{day(event.time)}</time>
          </li>
        ))}
      </ol>
      {read.cursor && (
        <button type="button" class="plain" disabled={isBusy} onClick={more}>
          Older events
        </button>
      )}
    </>
  );
}
