import { useState } from "preact/hooks";
import { Panel } from "./controls.tsx";
import { clock } from "./format.ts";
import { isPrice, type LogEntry } from "./log-entries.ts";

/** Lists the messages of the stream, newest first. Shows prices only on request, because there are so many. */
export function MessageLog({ entries }: { entries: readonly LogEntry[] }) {
  const [withPrices, setWithPrices] = useState(false);
  const shown = entries.filter((entry) => withPrices || !isPrice(entry));
  const toggle = (
    <label class="check">
      <input
        type="checkbox"
        checked={withPrices}
        onChange={({ currentTarget }) => setWithPrices(currentTarget.checked)}
      />
      prices
    </label>
  );
  return (
    <Panel title="Messages" area="log" aside={toggle}>
      <ol class="messages" aria-label="Messages, newest first">
        {shown.map(({ id, direction, time, message }) => (
          <li key={id} class={direction}>
            <details>
              <summary>
                <time>{clock(time)}</time> <span title={direction}>{direction === "sent" ? "→" : "←"}</span>{" "}
                <strong>{message.type}</strong>{" "}
                {"channel" in message && <span>{String(message.channel)}</span>}
              </summary>
              <pre>{JSON.stringify(message, null, 2)}</pre>
            </details>
          </li>
        ))}
      </ol>
      {shown.length === 0 && <p class="empty">Nothing yet.</p>}
    </Panel>
  );
}
