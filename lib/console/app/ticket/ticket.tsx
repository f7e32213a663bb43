import { useEffect, useRef, useState } from "preact/hooks";
import type { Balance, OrderRequest, Quote, QuoteRequest, Token } from "trading-terminal-client";
import { isSameToken } from "trading-terminal-client/markets";
import { Choice, Field, Form, type NetworkName, networks, Panel, Select } from "../controls.tsx";
import { type TicketEntry, useDesk, useReading } from "../desk.ts";
import { isAmount, minus, share } from "../exact.ts";
import { isAddressOn } from "../explorers.ts";
import { amount, coinOf } from "../format.ts";
import { TestCoins, useGifts } from "../test-coins.tsx";
import { useFreshQuote, useNow } from "./fresh-quote.ts";
import { sizedTradeOf, tradeOf } from "./least.ts";
import { LeastField, LimitsForm } from "./limits-form.tsx";
import { givenLimits, noLimits, wrongLimit } from "./order-limits.ts";
import { PlaceBar } from "./place-bar.tsx";
import { QuoteView } from "./quote-view.tsx";
import { TokenPicker } from "./token-picker.tsx";
import { isSearch, traded } from "./token-search.ts";
import { TokenView, useInspection } from "./token-view.tsx";
import { Unanswered } from "./unanswered.tsx";
import { verdictOf } from "./verdict.ts";

const sides = [
  ["buy", "Buy"],
  ["sell", "Sell"],
] as const;

/** Suggested amounts: coins for a buy, percentages of the balance for a sale. */
const shortcuts = { buy: ["0.1", "0.5", "1"], sell: ["25", "50", "100"] } as const;

/** Reads the tokens that a chain offers. If the list is missing, users can still trade a pasted address. */
function useTokens(chain: NetworkName) {
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

/** Reads a wallet's balances, and again after each change of the wallet's orders. */
function useBalances(chain: NetworkName, wallet: string | undefined, token: string, progress: string) {
  const { terminal } = useDesk();
  const [read, setRead] = useState<{ of: string; balances: readonly Balance[] }>();
  const of = `${chain} ${wallet}`;
  const more = isAddressOn(chain, token) ? { token } : {};
  useReading(
    (signal) => {
      if (wallet === undefined) return;
      void terminal.readBalances({ query: { chain, wallet, ...more }, signal }).then(({ data }) => {
        if (data && !signal.aborted) setRead({ of, balances: data.balances });
      });
    },
    [chain, wallet, more.token, progress],
  );
  return read?.of === of ? read.balances : [];
}

/** Keeps a value for one owner. A new owner starts with an empty value. */
function useOf<Value>(of: string, empty: Value): [Value, (value: Value) => void] {
  const [kept, setKept] = useState({ of, value: empty });
  useEffect(() => setKept({ of, value: empty }), [of]);
  return [kept.of === of ? kept.value : empty, (value) => setKept({ of, value })];
}

/**
 * Keeps the limits and confirmations of one trade. If the chain, the token or the side changes, all of them start
 * empty; if the amount changes, only the minimum does.
 */
function useWishes(ticket: TicketEntry) {
  const { placed } = useDesk().placing;
  const of = tradeOf(ticket);
  const [limits, setLimits] = useOf(of, noLimits);
  const [confirmation, setConfirmation] = useOf(of, "");
  const [least, setLeast] = useOf(sizedTradeOf(ticket), "");
  const [needsLeast, setNeedsLeast] = useOf(of, false);
  useEffect(() => {
    if (placed === undefined || tradeOf(placed) !== of) return;
    setConfirmation("");
    setLeast("");
    setLimits(noLimits);
  }, [placed]);
  return {
    limits,
    setLimits,
    confirmation,
    setConfirmation,
    least,
    setLeast,
    needsLeast,
    setNeedsLeast,
  };
}

/** Finds the wallets of the chain, and the wallet that trades. */
function useWallets({ chain, wallet: chosen }: TicketEntry) {
  const { state } = useDesk();
  const wallets = state?.wallets.filter(({ network }) => network === chain) ?? [];
  const picked = wallets.find(({ generatedWalletAddress }) => generatedWalletAddress === chosen);
  const wallet = (picked ?? wallets[0])?.generatedWalletAddress;
  /** Versions of the wallet's orders. A change reads balances and quotes again. */
  const progress = (state?.orders ?? [])
    .filter((order) => order.wallet === wallet)
    .map(({ version }) => version)
    .join();
  return { wallets, wallet, progress };
}

/** Reads the chain's tokens, the ticket's token, and the wallet's balances of the token and the coin. */
function useHoldings({ chain, token }: TicketEntry, wallet: string | undefined, progress: string) {
  const listed = useTokens(chain);
  const inspection = useInspection(chain, token);
  const balances = useBalances(chain, wallet, token, progress);
  const known = listed?.tokens.find((each) => each.token === token);
  return {
    listed,
    inspection,
    coin: balances.find((balance) => balance.token === "native"),
    held: balances.find((balance) => isSameToken({ chain, token: balance.token }, { chain, token })),
    symbol: inspection?.token?.symbol ?? known?.symbol ?? "token",
  };
}

/** Fills in the first listed token, unless the user has entered one already. */
function useFirstToken(tokens: readonly Token[] | undefined) {
  const { fillTicket } = useDesk();
  useEffect(() => {
    const [first] = tokens ?? [];
    // Skips a focused field, because the address would mix with what the user types or pastes.
    if (first === undefined || document.activeElement?.id === "token") return;
    fillTicket((before) => (before.token === "" ? { token: first.token } : {}));
  }, [tokens]);
}

/** Remembers the amount of a trade's first quote, which the user has seen. */
function useAgreed(quote: Quote | undefined, terms: string) {
  const [agreed, setAgreed] = useState<string>();
  const seen = useRef<string>(undefined);
  useEffect(() => {
    if (quote === undefined || seen.current === terms) return;
    seen.current = terms;
    setAgreed(quote.amountOut);
  }, [quote, terms]);
  return [seen.current === terms ? agreed : undefined, setAgreed] as const;
}

type Wishes = Pick<ReturnType<typeof useWishes>, "limits" | "least">;

/** Returns the label of the first invalid limit. */
const wrongWish = (chain: NetworkName, { limits, least }: Wishes) =>
  wrongLimit(chain, limits) ?? (least === "" || isAmount(least) ? undefined : "At least");

function tradeIn(
  { chain, side, token, given, unit }: TicketEntry,
  { limits, least }: Wishes,
  isConfirmed: boolean,
  wallet: string | undefined,
): QuoteRequest {
  const { slippage, ...otherLimits } = givenLimits(chain, limits);
  return {
    chain,
    side,
    token,
    ...(unit === "percent" ? { percent: Number(given) } : { amount: given }),
    ...otherLimits,
    ...(least !== "" ? { minAmountOut: least } : slippage !== undefined && { slippage }),
    ...(side === "buy" && isConfirmed && { allowUnsafe: true }),
    ...(wallet !== undefined && { wallet }),
  } as QuoteRequest;
}

export function Ticket() {
  const { state, isStale, ticket, fillTicket, placing } = useDesk();
  const { chain, side, token, given, unit } = ticket;
  const wishes = useWishes(ticket);
  const { limits, least, confirmation } = wishes;
  const nowMs = useNow();
  const { wallets, wallet, progress: ordersOfWallet } = useWallets(ticket);
  const progress = `${ordersOfWallet} ${useGifts()}`;
  const { listed, inspection, coin, held, symbol } = useHoldings(ticket, wallet, progress);
  useFirstToken(listed?.tokens);

  const isConfirmed = confirmation !== "" && confirmation === symbol;
  const hasToken = isAddressOn(chain, token);
  const wrong = wrongWish(chain, wishes);
  const trade = tradeIn(ticket, wishes, isConfirmed, wallet);
  const asked = hasToken && isAmount(given) && wrong === undefined ? trade : undefined;
  const quoted = useFreshQuote(unit === "percent" && wallet === undefined ? undefined : asked, progress);
  const quote = quoted?.quote;
  const refusal = quote?.wouldBeRefused?.code;
  useEffect(() => {
    if (refusal === "NO_REFERENCE") wishes.setNeedsLeast(true);
  }, [refusal]);
  const [agreed, setAgreed] = useAgreed(quote, JSON.stringify(asked));

  const verdict = verdictOf(
    {
      chain,
      side,
      symbol,
      wallet,
      given,
      wrongLimit: wrong,
      isStale,
      isBusy: placing.isBusy,
      isUnanswered: placing.unanswered !== undefined,
      isReading: state === undefined,
      hasToken,
      agreed,
    },
    asked && quoted,
    nowMs,
  );

  async function act() {
    if (quote === undefined || wallet === undefined) return;
    if (verdict.act === "agree") return setAgreed(quote.amountOut);
    if (verdict.act !== "place") return;
    // Drops the slippage, because the shown minimum already binds the order.
    const { slippage: _, ...rest } = trade;
    const body = { ...rest, wallet, type: "market", minAmountOut: quote.minAmountOut } as OrderRequest;
    await placing.place(body, side === "buy" ? `The buy of ${symbol}` : `The sale of ${symbol}`);
  }

  const isUnsafe = side === "buy" && (isConfirmed || refusal === "TOKEN_UNSAFE");
  return (
    <Panel title="Trade" area="trade">
      <Form label="Trade" onSubmit={() => {}}>
        <Choice
          label="Side"
          name="side"
          value={side}
          options={sides}
          onPick={(next) => fillTicket(freshSide(next))}
        />
        <div class="pair">
          <Select
            label="Chain"
            value={chain}
            options={networks}
            onPick={(next) => fillTicket({ chain: next, token: "" })}
          />
          <Select
            label="Wallet"
            value={wallet ?? ""}
            options={wallets.map(({ generatedWalletAddress, slotName }) => [
              generatedWalletAddress,
              slotName,
            ])}
            onPick={(next) => fillTicket({ wallet: next })}
          />
        </div>
        <TokenPicker
          chain={chain}
          token={token}
          tokens={listed?.tokens ?? []}
          onPick={(next, on = chain) => fillTicket({ token: next, chain: on })}
        />
        {listed?.problem && <p class="notice bad">{listed.problem}</p>}
        {!isSearch(token) && <TokenView chain={chain} token={token} inspection={inspection} />}
        <AmountField
          {...{ ticket, symbol, coin, held, quote }}
          onEdit={fillTicket}
          coinSymbol={coinOf[chain]}
        />
        <LimitsForm chain={chain} limits={limits} onEdit={wishes.setLimits} />
        {asked && <QuoteView quoted={quoted} tokens={listed?.tokens ?? []} nowMs={nowMs} />}
        {wishes.needsLeast && (
          <LeastField {...{ chain, token, symbol, side, least }} onEdit={wishes.setLeast} />
        )}
        {isUnsafe && (
          <Field label={`To buy it anyway, type ${symbol}`} hint="it may never be sold again">
            <input
              value={confirmation}
              spellcheck={false}
              autocomplete="off"
              onInput={({ currentTarget }) => wishes.setConfirmation(currentTarget.value.trim())}
            />
          </Field>
        )}
        <Unanswered />
        {wallet !== undefined && coin?.available === "0" && <TestCoins chain={chain} wallet={wallet} />}
        <PlaceBar side={side} verdict={verdict} onAct={act} />
      </Form>
    </Panel>
  );
}

/** Switches the side, with an amount that suits it. */
export const freshSide = (side: TicketEntry["side"]): Pick<TicketEntry, "side" | "given" | "unit"> =>
  side === "buy" ? { side, given: "0.1", unit: "amount" } : { side, given: "100", unit: "percent" };

type AmountProps = {
  ticket: TicketEntry;
  symbol: string;
  coinSymbol: string;
  coin: Balance | undefined;
  held: Balance | undefined;
  quote: Quote | undefined;
  onEdit: (change: Partial<TicketEntry>) => void;
};

/** Edits the size of the trade: coins, tokens or a percentage of the balance. */
function AmountField({ ticket, symbol, coinSymbol, coin, held, quote, onEdit }: AmountProps) {
  const { side, unit, given } = ticket;
  const read = side === "buy" ? coin : held;
  // Prefers the quote's balances, because each quote includes the latest deposits.
  const newer = quote?.balances?.find((each) => each.token === read?.token);
  const spent = read && { ...read, available: newer?.available ?? read.available };
  const spentSymbol = side === "buy" ? coinSymbol : symbol;
  const pick = (text: string) => onEdit({ given: text, unit: side === "buy" ? "amount" : "percent" });
  return (
    <>
      <Field
        label={unit === "percent" ? `Part of the ${symbol}, %` : `Amount, ${spentSymbol}`}
        hint={spent && `${amount(spent.available)} ${spentSymbol} to spend`}
      >
        <input
          inputMode="decimal"
          pattern="[0-9]*[.]?[0-9]+"
          title="A number, such as 0.5"
          value={given}
          onInput={({ currentTarget }) => onEdit({ given: currentTarget.value.trim() })}
        />
      </Field>
      <fieldset class="shortcuts" aria-label="Amounts">
        {shortcuts[side].map((text) => (
          <button
            key={text}
            type="button"
            aria-pressed={text === given && unit === (side === "buy" ? "amount" : "percent")}
            onClick={() => pick(text)}
          >
            {side === "buy" ? text : `${text} %`}
          </button>
        ))}
        {spent && (
          <button type="button" onClick={() => onEdit({ unit: "amount", given: most(spent, quote) })}>
            {side === "buy" ? "Max" : "Exact"}
          </button>
        )}
      </fieldset>
    </>
  );
}

/**
 * Computes the largest amount to spend: all tokens, or the coins left after fees, rents and a reserve for a later sale.
 */
function most({ token, available }: Pick<Balance, "token" | "available">, quote: Quote | undefined): string {
  const needed = quote?.balances?.find((each) => each.token === token)?.needed;
  if (token !== "native" || quote === undefined || needed === undefined) return available;
  const besides = minus(needed, quote.amount);
  const left = minus(minus(available, besides), quote.exitReserve ?? "0");
  return left.startsWith("-") ? share(available, 90) : left;
}
