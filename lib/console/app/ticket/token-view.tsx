import { useState } from "preact/hooks";
import type { InspectedToken } from "trading-terminal-client";
import type { NetworkName } from "../controls.tsx";
import { useDesk, useReading } from "../desk.ts";
import { ExploredLink } from "../explored-link.tsx";
import { isAddressOn } from "../explorers.ts";
import { chainName, percent, words } from "../format.ts";
import type { Refusal } from "./refusals.ts";
import { taxTier } from "./verdict.ts";

export type Inspection = { token?: InspectedToken; problem?: Refusal };

/** Inspects a token. Returns undefined until the answer arrives. */
export function useInspection(chain: NetworkName, token: string): Inspection | undefined {
  const { terminal } = useDesk();
  const [answer, setAnswer] = useState<Inspection & { of: string }>();
  const of = `${chain} ${token}`;

  useReading(
    (signal) => {
      if (!isAddressOn(chain, token)) return;
      void terminal.inspectToken({ path: { chain, token }, signal }).then(({ data, error }) => {
        if (!signal.aborted) setAnswer(data ? { of, token: data.token } : { of, problem: error });
      });
    },
    [chain, token],
  );

  return answer?.of === of ? answer : undefined;
}

type ViewProps = { chain: NetworkName; token: string; inspection: Inspection | undefined };

/** Shows the results of a simulated purchase and sale of a token before the trade. */
export function TokenView({ chain, token, inspection }: ViewProps) {
  if (token === "") return null;
  if (!isAddressOn(chain, token))
    return <p class="notice">This is not an address of a token on {chainName[chain]}.</p>;
  if (inspection?.problem) return <p class="notice bad">{inspection.problem.message}</p>;
  if (inspection?.token === undefined) return <p class="token-view quiet">Inspecting the token …</p>;
  const { name, sellable, buyTax, sellTax, flags, pools } = inspection.token;
  return (
    <div class="token-view">
      <p>
        <strong>{name}</strong> <ExploredLink network={chain} kind="token" id={token} />{" "}
        <span class={sellable === false ? "badge bad" : sellable === null ? "badge warn" : "badge good"}>
          {sellable === false ? "cannot be sold" : sellable === null ? "sale unknown" : "can be sold"}
        </span>
      </p>
      <p class="quiet">
        Tax <span class={taxTier(buyTax)}>{percent(buyTax)}</span> in,{" "}
        <span class={taxTier(sellTax)}>{percent(sellTax)}</span> out
        {pools.length > 0 && `; ${pools.length} ${pools.length === 1 ? "pool" : "pools"}`}
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
