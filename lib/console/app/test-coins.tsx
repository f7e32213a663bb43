import { useEffect, useState } from "preact/hooks";
import type { NetworkName } from "./controls.tsx";
import { useDesk } from "./desk.ts";
import { coinOf } from "./format.ts";

const path = "/local/coins";

/** Chains on which a server gives coins, and the amount of a gift. */
type Offer = { chains: readonly NetworkName[]; amount: string };

const nothing: Offer = { chains: [], amount: "0" };

let offer: Promise<Offer> | undefined;

/** Asks for test coins only on this machine, because no deployed service has them. */
async function readOffer(): Promise<Offer> {
  if (!/^(127\.0\.0\.1|\[::1\]|(.+\.)?localhost)$/.test(location.hostname)) return nothing;
  try {
    const response = await fetch(path);
    return response.ok ? ((await response.json()) as Offer) : nothing;
  } catch {
    return nothing;
  }
}

const gifts = new EventTarget();

/** Counts the gifts of this page. A change means that a wallet has more coins than before. */
export function useGifts(): number {
  const [count, setCount] = useState(0);
  useEffect(() => {
    const add = () => setCount((before) => before + 1);
    gifts.addEventListener("gift", add);
    return () => gifts.removeEventListener("gift", add);
  }, []);
  return count;
}

/** A button that fills a wallet on a local chain with coins. It is absent where the server gives none. */
export function TestCoins({ chain, wallet }: { chain: NetworkName; wallet: string }) {
  const { notify } = useDesk();
  const [{ chains, amount }, setOffer] = useState(nothing);
  const [isBusy, setBusy] = useState(false);
  useEffect(() => {
    offer ??= readOffer();
    void offer.then(setOffer);
  }, []);
  if (!chains.includes(chain)) return null;

  async function get() {
    setBusy(true);
    try {
      const response = await fetch(path, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ chain, address: wallet }),
      });
      if (!response.ok) throw new Error(((await response.json()) as { error: string }).error);
      gifts.dispatchEvent(new Event("gift"));
      notify(`${amount} ${coinOf[chain]} arrived in the wallet`);
    } catch (problem) {
      notify(
        `No test coins: ${problem instanceof Error ? problem.message : "the runner does not answer"}`,
        "bad",
      );
    } finally {
      setBusy(false);
    }
  }
  return (
    <button type="button" class="test-coins" disabled={isBusy} onClick={get}>
      Get {amount} test coins
    </button>
  );
}
