import { Facts } from "../controls.tsx";
import { useDesk } from "../desk.ts";
import { amount, chainName, day, firesAt, shortened } from "../format.ts";
import { useNow } from "./fresh-quote.ts";

/** After this many milliseconds, the market price may be far from the order's minimum. */
const oldestTermsMs = 5 * 60_000;

/** Lets the user settle an order whose answer was lost. */
export function Unanswered() {
  const { placing } = useDesk();
  const nowMs = useNow();
  const { unanswered, isBusy, repeat, leave } = placing;
  if (unanswered === undefined) return null;
  const { text, body, sentAtMs } = unanswered;
  const prices = firesAt(body);
  const isOld = nowMs - sentAtMs > oldestTermsMs;
  return (
    <div class="notice bad" role="alert">
      <p>
        {text} was not answered, and may have been placed. It appears under Orders then.{" "}
        {isOld ? "Its terms are too old to send it again." : "Sending it again places it at most once."}
      </p>
      <Facts
        facts={[
          ["Chain", chainName[body.chain]],
          ["Wallet", shortened(body.wallet)],
          ["Amount", "percent" in body ? `${body.percent} %` : amount(body.amount)],
          ...("minAmountOut" in body ? [["At least", amount(body.minAmountOut)] as const] : []),
          ...(prices.length > 0 ? [["Fires at", prices.join(", ")] as const] : []),
          ["Sent", day(sentAtMs)],
        ]}
      />
      <div class="buttons">
        {!isOld && (
          <button type="button" disabled={isBusy} onClick={repeat}>
            Send it again
          </button>
        )}
        <button type="button" class="plain" disabled={isBusy} onClick={leave}>
          Leave it
        </button>
      </div>
    </div>
  );
}
