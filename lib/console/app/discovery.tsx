import { useState } from "preact/hooks";
import type { RestData } from "trading-terminal-client";
import { type NetworkName, networks, Panel, Select } from "./controls.tsx";
import { useDesk, useReading } from "./desk.ts";
import { amount, chainName, coinOf, percent, shortened, words } from "./format.ts";
import { type Column, RecordTable } from "./record-table.tsx";
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
      {tokens.length > 0 && (
        <NewTokenList
          tokens={tokens}
          nowMs={Date.now()}
          onOpen={({ token }) => {
            openTicket({ chain, token });
            onOpened();
          }}
        />
      )}
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

/** Shows new tokens in the order of the service, the newest first, until the user sorts them. */
export function NewTokenList({ tokens, nowMs, onOpen }: ListProps) {
  const columns: Column<NewToken>[] = [
    {
      name: "Token",
      by: ({ symbol }) => symbol.toLowerCase(),
      cell: (token) => <OpenButton token={token} onOpen={onOpen} />,
    },
    {
      name: "Pool age",
      isNumber: true,
      by: ({ madeAt }) => -Date.parse(madeAt),
      cell: ({ madeAt }) => ageText(madeAt, nowMs),
    },
    {
      name: "Depth",
      isNumber: true,
      by: ({ liquidity }) => Number(liquidity),
      cell: ({ liquidity, chain }) => `${amount(liquidity, 3)} ${coinOf[chain]}`,
    },
    taxColumn("Tax in", ({ buyTax }) => buyTax),
    taxColumn("Tax out", ({ sellTax }) => sellTax),
    { name: "Warnings", cell: (token) => <Warnings token={token} /> },
  ];
  return (
    <div class="list">
      <RecordTable name="New tokens" rows={tokens} columns={columns} keyOf={({ token }) => token} />
    </div>
  );
}

const taxColumn = (name: string, taxOf: (token: NewToken) => number | null): Column<NewToken> => ({
  name,
  isNumber: true,
  by: (token) => taxOf(token) ?? Number.NaN,
  cell: (token) => <span class={taxTier(taxOf(token))}>{percent(taxOf(token))}</span>,
});

/** Names a token with its address, because anybody can give it any name, and opens it. */
const OpenButton = ({ token, onOpen }: { token: NewToken } & Pick<ListProps, "onOpen">) => (
  <button type="button" class="plain token-name" title={token.token} onClick={() => onOpen(token)}>
    <strong>
      <bdi>{token.symbol}</bdi>
    </strong>{" "}
    <bdi>{token.name}</bdi> <small>{shortened(token.token)}</small>
  </button>
);

/** Flags that follow from what the row shows, or that nearly all new tokens have. */
const silent: readonly string[] = ["NOT_LISTED", "TAXED", "CANNOT_SELL", "SELLABILITY_UNKNOWN"];

function Warnings({ token: { sellable, isConfirmed, listed, flags } }: { token: NewToken }) {
  const others = flags.filter((flag) => !silent.includes(flag));
  if (sellable === true && isConfirmed && !listed && others.length === 0) return <>–</>;
  return (
    <span class="flags">
      {sellable === false && <span class="badge bad">cannot be sold</span>}
      {sellable === null && <span class="badge warn">sale unknown</span>}
      {listed && <span class="badge good">listed</span>}
      {!isConfirmed && <span class="badge warn">seen by one host</span>}
      {others.map((flag) => (
        <span key={flag} class="badge warn">
          {words(flag)}
        </span>
      ))}
    </span>
  );
}
