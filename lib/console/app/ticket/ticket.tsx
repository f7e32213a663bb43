import { useEffect, useState } from "preact/hooks";
import type { Balance, OrderRequest, Quote, QuoteRequest } from "trading-terminal-client";
import { marketOf } from "trading-terminal-client/markets";
import { Choice, Facts, Field, Form, networks, Panel, Select } from "../controls.tsx";
import { type TicketEntry, useDesk } from "../desk.ts";
import { isAmount, product } from "../exact.ts";
import { isAddressOn } from "../explorers.ts";
import { chainName, coinOf, shortened } from "../format.ts";
import { Problem } from "../number-field.tsx";
import { hasSettings } from "../preset-form.tsx";
import { TestCoins, useGifts } from "../test-coins.tsx";
import { useOpened } from "../watchlist.tsx";
import { AmountField } from "./amount-field.tsx";
import { exitsFrom, exitsSentence, textsOfExits, wrongExits } from "./exits.ts";
import { ExitsDrawer } from "./exits-editor.tsx";
import { freshSide, isFresh } from "./fresh.ts";
import { type Preview, useFreshQuote, useNow } from "./fresh-quote.ts";
import { LeastField, LimitsForm } from "./limits-form.tsx";
import { pricesNow } from "./market-difference.ts";
import { givenLimits, wrongLimits } from "./order-limits.ts";
import {
  hasSide,
  lacksPrice,
  type OrderType,
  ofType,
  type Side,
  termsOf,
  wrongTerms,
} from "./order-types.ts";
import type { OwnPreset } from "./own-presets.ts";
import { PlaceBar } from "./place-bar.tsx";
import { PresetsDrawer } from "./presets-drawer.tsx";
import { QuoteView } from "./quote-view.tsx";
import { type FieldName, fieldOf, fieldWords, fundingText, type Problems, refusalText } from "./refusals.ts";
import { RestingView } from "./resting-view.tsx";
import { deedOf, sentenceOf, shortSymbol, sizeOf, type Written } from "./sentence.ts";
import { Sheet, useHandheld } from "./sheet.tsx";
import { OrderTypes, TermsForm } from "./terms-form.tsx";
import { TokenPicker } from "./token-picker.tsx";
import { TokenView } from "./token-view.tsx";
import { Unanswered } from "./unanswered.tsx";
import { useAgreed, useFirstToken, useHoldings, useWallets, useWishes } from "./use-trade.ts";
import { type Quoted, verdictOf } from "./verdict.ts";

const sides = [
  ["buy", "Buy"],
  ["sell", "Sell"],
] as const;

type Wishes = ReturnType<typeof useWishes>;

const numberText = "Write a number above 0 with a point, such as 0.5.";

/** Lists what the user has to correct before the service can be asked. */
function wrongOf({ chain, given }: TicketEntry, { type, terms, limits, least, exits }: Wishes): Problems {
  const wrong = wrongExits(exits);
  return {
    ...(given !== "" && !isAmount(given) && { amount: numberText }),
    ...(least !== "" && !isAmount(least) && { least: numberText }),
    ...wrongLimits(chain, limits, type !== "market"),
    ...wrongTerms(chain, type, terms),
    ...(wrong !== undefined && { exits: wrong }),
  };
}

/** Builds what the ticket's fields say about a trade, whatever the type of its order is. */
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

/** Builds the exits of a buy, if the user has said something about them. */
const exitsIn = (side: Side, { exits, isOptedOut }: Wishes) =>
  side === "buy" && (exits.length > 0 || isOptedOut) ? { exits: exitsFrom(exits) } : {};

/** Previews the order in the ticket: a quote, or a trial of an order that would rest. */
function usePreview(ticket: TicketEntry, wishes: Wishes) {
  const { wallet, progress: ofOrders, ...rest } = useWallets(ticket);
  const progress = `${ofOrders} ${useGifts()}`;
  const holdings = useHoldings(ticket, wallet, progress);
  const isConfirmed = wishes.confirmation !== "" && wishes.confirmation === holdings.symbol;
  const { chain, given, side, token, unit } = ticket;
  const { type, terms } = wishes;
  const exits = exitsIn(side, wishes);
  const hasToken = isAddressOn(chain, token);
  const wrong = wrongOf(ticket, wishes);
  const trade = tradeIn(ticket, wishes, isConfirmed, wallet);
  const isTried = (type !== "market" || "exits" in exits) && !lacksPrice(type, terms) && wallet !== undefined;
  const preview = isTried ? ({ ...trade, ...exits, ...termsOf(type, terms) } as object as Preview) : trade;
  const isAskable = hasToken && isAmount(given) && !holdings.isEmpty && Object.keys(wrong).length === 0;
  const asked = isAskable && (unit === "amount" || wallet !== undefined) ? preview : undefined;
  const quoted = useFreshQuote(asked, progress);
  return { ...rest, ...holdings, wallet, hasToken, isConfirmed, wrong, trade, asked, quoted };
}

/** Builds the request that places exactly what the page shows. */
function orderOf(trade: QuoteRequest, wishes: Wishes, { quote, resting }: Quoted, wallet: string) {
  const { type, terms } = wishes;
  const exits = exitsIn(trade.side, wishes);
  if (type !== "market") return { ...trade, wallet, ...exits, ...termsOf(type, terms, resting?.worst) };
  // Drops the slippage, because the shown minimum already binds the order.
  const { slippage: _, ...rest } = trade;
  return { ...rest, wallet, type, ...exits, minAmountOut: quote?.minAmountOut };
}

/** Prefers the quote's balance, because each quote includes the latest deposits. */
function newest(spent: Balance | undefined, quote: Quote | undefined) {
  const newer = quote?.balances?.find((each) => each.token === spent?.token);
  return spent && { ...spent, available: newer?.available ?? spent.available };
}

export function Ticket() {
  const { terminal, state, isStale, ticket, fillTicket, setListed, placing, notify, makeWallet } = useDesk();
  const { chain, side, token, given, unit } = ticket;
  const wishes = useWishes(ticket);
  const { type, terms, limits, least, exits, confirmation } = wishes;
  const nowMs = useNow();
  const isHandheld = useHandheld();
  const [isOpen, setOpen] = useState(false);
  const seen = usePreview(ticket, wishes);
  const { wallets, wallet, walletName, listed, inspection, spent, symbol, wrong, asked } = seen;
  useFirstToken(listed?.tokens);
  useEffect(() => setListed(listed?.tokens ?? []), [listed]);
  useOpened(inspection?.token);

  const quoted = asked && seen.quoted;
  const { quote, resting } = quoted ?? {};
  const refusal = quoted?.problem ?? quote?.wouldBeRefused;
  useEffect(() => {
    if (refusal?.code === "NO_REFERENCE") wishes.setNeedsLeast(true);
  }, [refusal?.code]);
  const [agreed, setAgreed] = useAgreed(quote, JSON.stringify(asked));

  const name = shortSymbol(symbol);
  const order: Written = { chain, side, type, symbol: name, given, unit, terms };
  const market = state && marketOf(state, { chain, token });
  const prices = pricesNow(market, resting?.price ?? quote?.price);
  const isTold =
    isAmount(given) && seen.hasToken && !lacksPrice(type, terms) && Object.keys(wrong).length === 0;
  const known = {
    amount: quote?.amount ?? (spent && product(product(spent.available, given), "0.01")),
    ...prices,
    amountOut: quote?.amountOut,
    // Hides the quote's minimum if the user must set one, because it would mislead.
    minAmountOut: refusal?.code === "NO_REFERENCE" ? undefined : quote?.minAmountOut,
    worst: resting?.worst,
  };
  const sentence = isTold ? `${sentenceOf(order, known)} ${exitsSentence(exits)}`.trim() : "";
  const refusedField = refusal && fieldOf(refusal, type);
  const problems: Problems = {
    ...(refusal && refusedField && { [refusedField]: refusalText(refusal) }),
    ...wrong,
  };
  const [wrongField] = Object.keys(wrong) as FieldName[];
  const deed = deedOf(order);
  const verdict = verdictOf(
    {
      chain,
      side,
      symbol: name,
      deed,
      wallet,
      given,
      wrong: wrongField && fieldWords[wrongField],
      isExplained: refusedField !== undefined,
      lacksPrice: lacksPrice(type, terms),
      isEmpty: seen.isEmpty,
      isStale,
      isBusy: placing.isBusy,
      isUnanswered: placing.unanswered !== undefined,
      isReading: state === undefined,
      hasToken: seen.hasToken,
      agreed: type === "market" ? agreed : undefined,
    },
    quoted,
    nowMs,
  );

  async function act() {
    if (verdict.act === "makeWallet") return makeWallet();
    if (quoted === undefined || quote === undefined || wallet === undefined) return;
    if (verdict.act === "agree") return setAgreed(quote.amountOut);
    if (verdict.act !== "place") return;
    const body = orderOf(seen.trade, wishes, quoted, wallet) as OrderRequest;
    const kind = type === "market" ? "" : `${ofType(type).label.toLowerCase()} `;
    await placing.place(body, `The ${kind}${side === "buy" ? "buy" : "sale"} of ${name}`);
    setOpen(false);
  }

  function pickType(next: OrderType) {
    wishes.setType(next);
    if (!hasSide(next, side)) fillTicket(freshSide("sell"));
  }

  async function takeExits() {
    const { data, error } = await terminal.getPreset({ path: { chain } });
    const taken = textsOfExits(data?.preset.exits ?? []);
    if (taken.length > 0) wishes.setExits(taken);
    else notify(error && error.code !== "NO_PRESET" ? error.message : "The preset has no exits", "bad");
  }

  function use({ name: _, exits: kept, ...change }: OwnPreset) {
    fillTicket(change);
    wishes.setExits(kept);
  }

  function showProblem() {
    const field = problems.token === undefined ? "[aria-invalid=true]" : "#token";
    document.querySelector<HTMLElement>(`.trade ${field}`)?.focus();
  }

  const isUnsafe = side === "buy" && (seen.isConfirmed || refusal?.code === "TOKEN_UNSAFE");
  const deal = () => sentence && <p class="sentence">{sentence}</p>;
  const figures = () =>
    type === "market"
      ? asked && <QuoteView quoted={quoted} tokens={listed?.tokens ?? []} nowMs={nowMs} />
      : quote && resting && <RestingView quote={quote} resting={resting} />;
  return (
    <Panel title="Trade" area="trade">
      <Form label="Trade" onSubmit={() => {}} data-unsaved={!isFresh(ticket, wishes) || undefined}>
        <Choice
          label="Side"
          name="side"
          value={side}
          options={sides}
          onPick={(next) => fillTicket(freshSide(next))}
        />
        <OrderTypes type={type} side={side} onPick={pickType} />
        <div class="pair">
          <Select
            label="Chain"
            id="chain"
            value={chain}
            options={networks}
            onPick={(next) => fillTicket({ chain: next, token: "" })}
          />
          <Select
            label="Wallet"
            id="wallet"
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
        <Problem text={problems.token} />
        {listed?.problem && <p class="notice bad">{listed.problem}</p>}
        <TokenView chain={chain} token={token} inspection={inspection} />
        <AmountField
          ticket={ticket}
          symbol={name}
          spent={newest(spent, quote)}
          quote={quote}
          problem={problems.amount}
          onEdit={fillTicket}
        />
        <p class="quiet" role="status">
          {seen.isEmpty && fundingText(coinOf[chain], chainName[chain], side === "sell")}
        </p>
        {wallet !== undefined && side === "buy" && seen.isEmpty && (
          <TestCoins chain={chain} wallet={wallet} />
        )}
        <PresetsDrawer
          chain={chain}
          side={side}
          current={isAmount(given) && problems.exits === undefined ? { side, given, unit, exits } : undefined}
          size={sizeOf(order)}
          onUse={use}
        />
        <TermsForm
          chain={chain}
          side={side}
          type={type}
          terms={terms}
          reference={prices.reference}
          problems={problems}
          onEdit={wishes.setTerms}
        />
        {side === "buy" && type !== "twap" && (
          <ExitsDrawer
            exits={exits}
            problem={problems.exits}
            onEdit={wishes.setExits}
            isAdded={hasSettings(chain) ? state?.settings[chain]?.autoSell === true : true}
            isOptedOut={wishes.isOptedOut}
            onOptOut={wishes.setOptedOut}
            onTake={takeExits}
          />
        )}
        <LimitsForm chain={chain} limits={limits} problems={problems} onEdit={wishes.setLimits} />
        {figures()}
        {wishes.needsLeast && (
          <LeastField
            chain={chain}
            token={token}
            symbol={name}
            side={side}
            least={least}
            problem={problems.least}
            onEdit={wishes.setLeast}
          />
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
        <div class="deed">
          {deal()}
          <PlaceBar
            button="place"
            side={side}
            verdict={verdict}
            onAct={isHandheld && verdict.act !== "makeWallet" ? () => setOpen(true) : act}
            onRefused={showProblem}
          />
        </div>
      </Form>
      {isOpen && (
        <Sheet
          {...{ title: deed, confirm: `Confirm ${sizeOf(order)}`, side, verdict }}
          onAct={act}
          onClose={() => setOpen(false)}
        >
          {deal()}
          {figures()}
          <Facts facts={[["Wallet", `${walletName} ${shortened(wallet ?? "")}`]]} />
        </Sheet>
      )}
    </Panel>
  );
}
