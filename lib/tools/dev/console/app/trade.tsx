import { useEffect, useState } from "preact/hooks";
import type { Balance, OrderRequest, QuoteRequest, Token } from "trading-terminal-client";
import { Choice, Field, Form, type NetworkName, networks, Panel, Select } from "./controls.tsx";
import { useCall, useDesk } from "./desk.ts";
import { isAddressOn } from "./explorers.ts";
import { amount } from "./format.ts";
import { LimitsForm } from "./limits-form.tsx";
import { givenLimits, noLimits } from "./order-limits.ts";
import { QuoteView, useQuote } from "./quote-view.tsx";
import { TokenView } from "./token-view.tsx";

type Side = "buy" | "sell";

const sides = [
  ["buy", "Buy"],
  ["sell", "Sell"],
] as const;

/** Suggested amounts: coins for a buy, percentages for a sale. */
const shortcuts = { buy: ["0.1", "0.5", "1"], sell: ["25", "50", "100"] } as const;

export function Trade() {
  const { terminal, state, notify, noteOrder } = useDesk();
  const { call, isBusy } = useCall();
  const [chain, setChain] = useState<NetworkName>("eth");
  const [side, setSide] = useState<Side>("buy");
  const [given, setGiven] = useState("0.1");
  const [token, setToken] = useState("");
  const [picked, setPicked] = useState("");
  const [limits, setLimits] = useState(noLimits);
  const [problem, setProblem] = useState("");
  const [tokens, setTokens] = useState<readonly Token[]>([]);
  const [balances, setBalances] = useState<readonly Balance[]>([]);

  const wallets = state.wallets.filter(({ network }) => network === chain);
  const wallet = (wallets.find(({ _id }) => _id === picked) ?? wallets[0])?.generatedWalletAddress;
  /** Changes with each order of the wallet, so that balances are read again. */
  const progress = state.orders
    .filter((order) => order.wallet === wallet)
    .map(({ version }) => version)
    .join();

  useEffect(() => {
    const reading = new AbortController();
    const { signal } = reading;
    void terminal.listTokens({ query: { chain }, signal }).then(({ data, error }) => {
      if (signal.aborted) return;
      setProblem(error?.message ?? "");
      const traded = data?.tokens.filter((each) => each.token !== "native" && !each.wrapped) ?? [];
      setTokens(traded);
      // Keeps an address that was typed meanwhile.
      setToken((typed) => typed || (traded[0]?.token ?? ""));
    });
    return () => reading.abort();
  }, [terminal, chain]);

  // Orders of the wallet change its balances.
  useEffect(() => {
    if (wallet === undefined) return setBalances([]);
    const reading = new AbortController();
    const { signal } = reading;
    void terminal.readBalances({ query: { chain, wallet }, signal }).then(({ data }) => {
      if (data && !signal.aborted) setBalances(data.balances);
    });
    return () => reading.abort();
  }, [terminal, chain, wallet, progress]);

  const units = side === "buy" ? { amount: given } : { percent: Number(given) };
  // The form and the service check what was typed.
  const tradeOf = (wallet?: string) =>
    ({
      ...{ chain, side, token, ...(wallet !== undefined && { wallet }) },
      ...units,
      ...givenLimits(chain, limits),
    }) as QuoteRequest;
  const isWhole = isAddressOn(chain, token) && Number(given) > 0;
  const quoted = useQuote(isWhole ? tradeOf(wallet) : undefined, progress);
  const canPlace = wallet !== undefined && quoted?.quote !== undefined && !isBusy;

  async function place() {
    if (wallet === undefined) return;
    const body = { ...tradeOf(wallet), type: "market" } as OrderRequest;
    const placed = await call(() => terminal.placeOrder({ body }));
    if (placed === undefined) return;
    noteOrder(placed);
    notify(side === "buy" ? "The buy is placed" : "The sale is placed");
  }
  function pickChain(next: NetworkName) {
    setChain(next);
    setTokens([]);
    setToken("");
  }
  function pickSide(next: Side) {
    setSide(next);
    setGiven(next === "buy" ? "0.1" : "100");
  }

  const coin = balances.find((balance) => balance.token === "native");
  const held = balances.find((balance) => balance.token === token);
  const symbol = tokens.find((each) => each.token === token)?.symbol ?? "token";
  return (
    <Panel title="Trade" area="trade">
      <Form label="Trade" onSubmit={place}>
        <Choice label="Side" name="side" value={side} options={sides} onPick={pickSide} />
        <Select label="Chain" value={chain} options={networks} onPick={pickChain} />
        <Select
          label="Wallet"
          value={wallets.find(({ generatedWalletAddress }) => generatedWalletAddress === wallet)?._id ?? ""}
          options={wallets.map(({ _id, slotName }) => [_id, slotName] as const)}
          onPick={setPicked}
        />
        <p class="balances quiet">
          {coin && `${amount(coin.available)} ${coin.symbol}`}
          {held && `, ${amount(held.available)} ${held.symbol}`}
          {wallet === undefined && "No wallet on this chain yet."}
        </p>
        <Field label="Token" hint="an address, or pick one">
          <input
            list="tokens"
            value={token}
            spellcheck={false}
            required
            onInput={({ currentTarget }) => setToken(currentTarget.value.trim())}
          />
          <datalist id="tokens">
            {tokens.map((each) => (
              <option key={each.token} value={each.token}>
                {each.symbol}
              </option>
            ))}
          </datalist>
        </Field>
        <fieldset class="shortcuts" aria-label="Listed tokens">
          {tokens.map((each) => (
            <button
              key={each.token}
              type="button"
              aria-pressed={each.token === token}
              onClick={() => setToken(each.token)}
            >
              {each.symbol}
            </button>
          ))}
        </fieldset>
        {problem ? <p class="notice bad">{problem}</p> : <TokenView chain={chain} token={token} />}
        <Field label={side === "buy" ? `Amount, ${coin?.symbol ?? "coins"}` : "Share of the balance, %"}>
          <input
            inputMode="decimal"
            pattern="[0-9]*[.]?[0-9]+"
            title="A number, such as 0.5"
            required
            value={given}
            onInput={({ currentTarget }) => setGiven(currentTarget.value)}
          />
        </Field>
        <fieldset class="shortcuts" aria-label="Amounts">
          {shortcuts[side].map((text) => (
            <button key={text} type="button" aria-pressed={text === given} onClick={() => setGiven(text)}>
              {side === "buy" ? text : `${text} %`}
            </button>
          ))}
        </fieldset>
        <LimitsForm chain={chain} limits={limits} onEdit={setLimits} />
        {isWhole && <QuoteView quoted={quoted} tokens={tokens} />}
        <button type="submit" class={`primary ${side}`} disabled={!canPlace}>
          {side === "buy" ? "Buy" : "Sell"} {symbol}
        </button>
      </Form>
    </Panel>
  );
}
