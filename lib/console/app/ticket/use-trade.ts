import { useEffect, useRef, useState } from "preact/hooks";
import type { Quote, Token } from "trading-terminal-client";
import { isSameToken } from "trading-terminal-client/markets";
import type { NetworkName } from "../controls.tsx";
import { type TicketEntry, useDesk, useReading } from "../desk.ts";
import { isAddressOn } from "../explorers.ts";
import { hasFill } from "../fills-csv.ts";
import type { ExitText } from "./exits.ts";
import { sizedTradeOf, tradeOf } from "./least.ts";
import { noLimits } from "./order-limits.ts";
import { freshTerms, hasSide, type OrderType } from "./order-types.ts";
import { traded } from "./token-search.ts";
import { useInspection } from "./token-view.tsx";

/** Reads the tokens that a chain offers. If the list is missing, users can still trade a pasted address. */
export function useTokens(chain: NetworkName) {
  const { terminal } = useDesk();
  const [read, setRead] = useState<{ chain: NetworkName; tokens: readonly Token[]; problem?: string }>();
  useReading(
    (signal) => {
      void terminal.listTokens({ query: { chain }, signal }).then(({ data, error }) => {
        if (signal.aborted) return;
        setRead({ chain, tokens: traded(data?.tokens), ...(error && { problem: error.message }) });
      });
    },
    [chain],
  );
  return read?.chain === chain ? read : undefined;
}

/** Milliseconds between two looks at a balance of 0, which no quote reports. */
const emptyMs = 4000;

/**
 * Reads a wallet's balances, and again after each change of the wallet's orders. While the wallet has nothing to spend,
 * reads them again and again, because it may be funded.
 */
function useBalances({ chain, token, side }: TicketEntry, wallet: string | undefined, progress: string) {
  const { terminal, balances: read, setBalances } = useDesk();
  const [looks, setLooks] = useState(0);
  const more = isAddressOn(chain, token) ? { token } : {};
  useReading(
    (signal) => {
      if (wallet === undefined || (looks > 0 && document.hidden)) return;
      void terminal.readBalances({ query: { chain, wallet, ...more }, signal }).then(({ data }) => {
        if (data && !signal.aborted) setBalances({ chain, wallet, balances: data.balances });
      });
    },
    [chain, wallet, more.token, progress, looks],
  );
  const balances = read?.chain === chain && read.wallet === wallet ? read.balances : [];
  const spent =
    side === "buy"
      ? balances.find((balance) => balance.token === "native")
      : balances.find((balance) => isSameToken({ chain, token: balance.token }, { chain, token }));
  const isEmpty = spent !== undefined && Number(spent.available) === 0;
  useEffect(() => {
    if (!isEmpty) return;
    const timer = setInterval(() => setLooks((count) => count + 1), emptyMs);
    return () => clearInterval(timer);
  }, [isEmpty]);
  return { spent, isEmpty };
}

/** Keeps a value for one owner. A new owner starts with an empty value. */
function useOf<Value>(of: string, empty: Value): [Value, (value: Value) => void] {
  const [kept, setKept] = useState({ of, value: empty });
  useEffect(() => setKept({ of, value: empty }), [of]);
  return [kept.of === of ? kept.value : empty, (value) => setKept({ of, value })];
}

const noExits: readonly ExitText[] = [];

/**
 * Keeps the terms, limits and confirmations of one trade. If the chain, the token or the side changes, all of them
 * start empty; if the amount changes, only the minimum does.
 */
export function useWishes(ticket: TicketEntry) {
  const { placed } = useDesk().placing;
  const of = tradeOf(ticket);
  const [wanted, setType] = useState<OrderType>("market");
  const type = hasSide(wanted, ticket.side) ? wanted : "market";
  const [terms, setTerms] = useOf(`${of} ${type}`, freshTerms);
  const [limits, setLimits] = useOf(of, noLimits);
  const [exits, setExits] = useOf(of, noExits);
  const [isOptedOut, setOptedOut] = useOf(of, false);
  const [confirmation, setConfirmation] = useOf(of, "");
  const [least, setLeast] = useOf(sizedTradeOf(ticket), "");
  const [needsLeast, setNeedsLeast] = useOf(of, false);
  useEffect(() => {
    if (placed === undefined || tradeOf(placed) !== of) return;
    setConfirmation("");
    setLeast("");
    setLimits(noLimits);
    setTerms(freshTerms);
    setExits(noExits);
    setOptedOut(false);
  }, [placed]);
  const mayExit = type === "market" || type === "limit";
  return {
    type,
    setType,
    terms,
    setTerms,
    exits: mayExit ? exits : noExits,
    setExits,
    isOptedOut: mayExit && isOptedOut,
    setOptedOut,
    limits,
    setLimits,
    confirmation,
    setConfirmation,
    least: type === "market" ? least : "",
    setLeast,
    needsLeast: type === "market" && needsLeast,
    setNeedsLeast,
  };
}

/** Finds the wallets of the chain, and the wallet that trades. */
export function useWallets({ chain, wallet: chosen }: TicketEntry) {
  const { state } = useDesk();
  const wallets = state?.wallets.filter(({ network }) => network === chain) ?? [];
  const picked = wallets.find(({ generatedWalletAddress }) => generatedWalletAddress === chosen);
  const { generatedWalletAddress: wallet, slotName } = picked ?? wallets[0] ?? {};
  /** Versions of the wallet's orders. A change reads balances and quotes again. */
  const progress = (state?.orders ?? [])
    .filter((order) => order.wallet === wallet)
    .map(({ version }) => version)
    .join();
  return { wallets, wallet, walletName: slotName, progress };
}

/** Reads the chain's tokens, the ticket's token, and what the wallet can spend. */
export function useHoldings(ticket: TicketEntry, wallet: string | undefined, progress: string) {
  const { chain, token } = ticket;
  const listed = useTokens(chain);
  const inspection = useInspection(chain, token);
  const known = listed?.tokens.find((each) => each.token === token);
  return {
    listed,
    inspection,
    ...useBalances(ticket, wallet, progress),
    symbol: inspection?.token?.symbol || known?.symbol || "token",
  };
}

/** Fills in the first listed token, unless the user has entered one already. */
export function useFirstToken(tokens: readonly Token[] | undefined) {
  const { fillTicket } = useDesk();
  useEffect(() => {
    const [first] = tokens ?? [];
    // Skips a focused field, because the address would mix with what the user types or pastes.
    if (first === undefined || document.activeElement?.id === "token") return;
    fillTicket((before) => (before.token === "" ? { token: first.token } : {}));
  }, [tokens]);
}

/**
 * Remembers the amount of a trade's first quote, which the user has seen. Forgets it after each of the user's own
 * orders of the token, and after each fill of one, because these move the price. The next quote then counts.
 */
export function useAgreed(quote: Quote | undefined, terms: string) {
  const { state, placing, ticket } = useDesk();
  const [agreed, setAgreed] = useState<string>();
  const fills = (state?.orders ?? []).filter((order) => {
    const { chain, token } = order;
    return hasFill(order) && token !== undefined && isSameToken({ chain, token }, ticket);
  }).length;
  const outdated = useRef<Quote>(undefined);
  const seen = useRef<string>(undefined);
  useEffect(() => {
    outdated.current = quote;
    seen.current = undefined;
    setAgreed(undefined);
  }, [placing.placed, fills]);
  useEffect(() => {
    if (quote === undefined || quote === outdated.current || seen.current === terms) return;
    seen.current = terms;
    setAgreed(quote.amountOut);
  }, [quote, terms]);
  return [seen.current === terms ? agreed : undefined, setAgreed] as const;
}
