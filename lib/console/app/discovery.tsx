import { useState } from "preact/hooks";
import type { RestData } from "trading-terminal-client";
import { type NetworkName, networks, Panel, Select } from "./controls.tsx";
import { useDesk, useReading } from "./desk.ts";
import { amount, chainName, coinOf, percent, shortened, words } from "./format.ts";
import { taxTier } from "./ticket/verdict.ts";

type NewTokens = RestData<"listNewTokens">;

export type NewToken = NewTokens["tokens"][number];

/** Pause between two requests while the list is open, in milliseconds. Each lets the service read some more blocks. */
const pollMs = 3000;

/** The service lists new tokens of EVM chains only. */
const chains = networks.filter(([chain]) => chain !== "sol");

/** Reads the new tokens of a chain again and again while the page is visible. */
function useNewTokens(chain: NetworkName) {
  const { terminal } = useDesk();
  const [read, setRead] = useState<{ of: NetworkName; found?: NewTokens; problem?: string }>();
  useReading(
    (signal) => {
      async function poll(): Promise<void> {
        if (signal.aborted) return;
        if (!document.hidden) {
          const { data, error } = await terminal.listNewTokens({ query: { chain }, signal });
          if (signal.aborted) return;
          setRead((before) => {
            const found = data ?? (before?.of === chain ? before.found : undefined);
            return { of: chain, ...(found && { found }), ...(error && { problem: error.message }) };
          });
        }
        setTimeout(poll, pollMs);
      }
      void poll();
    },
    [chain],
  );
  return read?.of === chain ? read : undefined;
}

/** Formats an age in its greatest unit. */
function ageText(madeAt: string, nowMs: number): string {
  const seconds = Math.max(0, Math.floor((nowMs - Date.parse(madeAt)) / 1000));
  if (seconds < 60) return `${seconds} s`;
  return seconds < 3600 ? `${Math.floor(seconds / 60)} min` : `${Math.floor(seconds / 3600)} h`;
}

/** Lists tokens that have pools of the last day, with all that a user should know before opening one. */
export function Discovery({ onOpened }: { onOpened: () => void }) {
  const { ticket, openTicket } = useDesk();
  const [chain, setChain] = useState(chains.some(([each]) => each === ticket.chain) ? ticket.chain : "eth");
  const read = useNewTokens(chain);
  const tokens = read?.found?.tokens ?? [];
  return (
    <Panel title="New tokens" area="discovery">
      <Select label="Chain" value={chain} options={chains} onPick={setChain} />
      <p class="quiet" role="status">
        {stateOf(chain, read)}
      </p>
      <NewTokenList
        tokens={tokens}
        nowMs={Date.now()}
        onOpen={({ token }) => {
          openTicket({ chain, token });
          onOpened();
        }}
      />
    </Panel>
  );
}

function stateOf(chain: NetworkName, read: ReturnType<typeof useNewTokens>): string {
  const name = chainName[chain];
  if (read === undefined) return `Reading the new pools of ${name} …`;
  if (read.problem !== undefined) return read.problem;
  if (read.found?.since === undefined) return `No host of ${name} has listed its new pools yet.`;
  const count = read.found.tokens.length;
  const since = ageText(read.found.since, Date.now());
  return `${count} ${count === 1 ? "token" : "tokens"} with pools made in the last ${since}. Anybody can make them, with any name.`;
}

type ListProps = { tokens: readonly NewToken[]; nowMs: number; onOpen: (token: NewToken) => void };

export function NewTokenList({ tokens, nowMs, onOpen }: ListProps) {
  return (
    <ul class="rows new-tokens" aria-label="New tokens">
      {tokens.map((token) => (
        <li key={token.token}>
          <button type="button" class="plain" title={token.token} onClick={() => onOpen(token)}>
            <strong>
              <bdi>{token.symbol}</bdi>
            </strong>{" "}
            <bdi>{token.name}</bdi> <small>{shortened(token.token)}</small>
          </button>
          <span>{ageText(token.madeAt, nowMs)} old</span>
          <span>
            depth {amount(token.liquidity, 3)} {coinOf[token.chain]}
          </span>
          <span>
            tax <span class={taxTier(token.buyTax)}>{percent(token.buyTax)}</span> in,{" "}
            <span class={taxTier(token.sellTax)}>{percent(token.sellTax)}</span> out
          </span>
          <Warnings token={token} />
        </li>
      ))}
    </ul>
  );
}

/** Flags that follow from what the row shows, or that nearly all new tokens have. */
const silent: readonly string[] = ["NOT_LISTED", "TAXED", "CANNOT_SELL", "SELLABILITY_UNKNOWN"];

function Warnings({ token: { sellable, isConfirmed, listed, flags } }: { token: NewToken }) {
  return (
    <span class="flags">
      {sellable === false && <span class="badge bad">cannot be sold</span>}
      {sellable === null && <span class="badge warn">sale unknown</span>}
      {listed && <span class="badge good">listed</span>}
      {!isConfirmed && <span class="badge warn">seen by one host</span>}
      {flags
        .filter((flag) => !silent.includes(flag))
        .map((flag) => (
          <span key={flag} class="badge warn">
            {words(flag)}
          </span>
        ))}
    </span>
  );
}
