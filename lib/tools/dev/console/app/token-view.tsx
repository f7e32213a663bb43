import { useEffect, useState } from "preact/hooks";
import type { InspectedToken } from "trading-terminal-client";
import type { NetworkName } from "./controls.tsx";
import { useDesk } from "./desk.ts";
import { ExploredLink } from "./explored-link.tsx";
import { isAddressOn } from "./explorers.ts";
import { amount, percent, words } from "./format.ts";

/** Shows the results of a simulated buy and sale of a token before the trade. */
export function TokenView({ chain, token }: { chain: NetworkName; token: string }) {
  const { terminal } = useDesk();
  const [inspected, setInspected] = useState<InspectedToken>();
  const [problem, setProblem] = useState("");

  useEffect(() => {
    setInspected(undefined);
    setProblem("");
    if (!isAddressOn(chain, token)) return;
    const reading = new AbortController();
    const { signal } = reading;
    void terminal.inspectToken({ path: { chain, token }, signal }).then(({ data, error }) => {
      if (signal.aborted) return;
      setInspected(data?.token);
      setProblem(error?.message ?? "");
    });
    return () => reading.abort();
  }, [terminal, chain, token]);

  if (problem) return <p class="notice bad">{problem}</p>;
  if (token !== "" && !isAddressOn(chain, token))
    return <p class="notice">This is not an address on {chain}.</p>;
  if (inspected === undefined) return <p class="token-view quiet">Inspecting the token …</p>;
  const { name, sellable, buyTax, sellTax, flags, pools } = inspected;
  const [deepest] = pools;
  return (
    <div class="token-view">
      <p>
        <strong>{name}</strong> <ExploredLink network={chain} kind="token" id={inspected.token} />{" "}
        <span class={sellable === false ? "badge bad" : "badge good"}>
          {sellable === false ? "cannot be sold" : sellable === null ? "sale unknown" : "can be sold"}
        </span>
      </p>
      <p class="quiet">
        Tax {percent(buyTax)} in, {percent(sellTax)} out
        {deepest &&
          `; ${pools.length} ${pools.length === 1 ? "pool" : "pools"}, the deepest with ${amount(deepest.liquidity)}`}
      </p>
      {flags.length > 0 && (
        <ul class="flags" aria-label="Warnings about the token">
          {flags.map((flag) => (
            <li key={flag} class="badge warn">
              {words(flag)}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
