import type { StreamStatus } from "trading-terminal-client";
import { useNow } from "./ticket/fresh-quote.ts";

type BannerProps = { status: StreamStatus; heardMs: number; isShown: boolean; onRetry: () => void };

/** Warns that all data on the page is old, and how old it is. */
export function StaleBanner({ status, heardMs, isShown, onRetry }: BannerProps) {
  if (!isShown) return null;
  return (
    <div class="banner">
      {/* A screen reader repeats an alert each time it changes, as its age would. */}
      <strong role="alert">The service does not answer.</strong> <Age sinceMs={heardMs} />
      {status.status === "waiting" && " The page keeps trying."}
      <button type="button" onClick={onRetry}>
        Try now
      </button>
    </div>
  );
}

function Age({ sinceMs }: { sinceMs: number }) {
  const seconds = Math.max(0, Math.floor((useNow() - sinceMs) / 1000));
  return <span>All data is {seconds} s old.</span>;
}
