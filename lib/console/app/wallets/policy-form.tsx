import { useState } from "preact/hooks";
import type { RestData, Wallet } from "trading-terminal-client";
import { Facts, Field, Form, Unread } from "../controls.tsx";
import { useCall, useDesk, useReading } from "../desk.ts";
import { coinOf, day } from "../format.ts";
import { LimitField } from "../number-field.tsx";
import { type PolicyTexts, policyIn, textsOf } from "./policy-terms.ts";

type Answer = RestData<"getWalletPolicy">;

/** Shows and edits the limits that the signer enforces for a wallet. */
export function PolicyForm({ wallet }: { wallet: Wallet }) {
  const { terminal, notify } = useDesk();
  const { call, isBusy } = useCall();
  const [read, setRead] = useState<Answer>();
  const [form, setForm] = useState<PolicyTexts>();
  const [hasFailed, setFailed] = useState(false);
  const path = { walletId: wallet._id };
  const coin = coinOf[wallet.network];

  function show(answer: Answer | undefined) {
    if (answer === undefined) return;
    setRead(answer);
    setForm(textsOf(answer.pending?.policy ?? answer.policy));
  }
  async function readPolicy() {
    setFailed(false);
    const answer = await call(() => terminal.getWalletPolicy({ path }));
    if (answer === undefined) setFailed(true);
    show(answer);
  }
  useReading(() => {
    if (form === undefined) void readPolicy();
  }, [wallet._id]);

  async function save() {
    if (form === undefined) return;
    const saved = await call(() => terminal.setWalletPolicy({ path, body: policyIn(form) }));
    show(saved);
    if (saved) notify(saved.pending ? "Looser limits apply after a day" : "The limits apply now");
  }

  if (form === undefined || read === undefined)
    return hasFailed ? (
      <Unread what="limits" onRetry={readPolicy} />
    ) : (
      <p class="empty">Reading the limits …</p>
    );
  const edit = (change: Partial<PolicyTexts>) => setForm({ ...form, ...change });
  type NumberName = "maxPerOrder" | "maxPerDay" | "maxNetworkFeesPerDay" | "maxSlippage";
  const number = (name: NumberName, label: string, hint = "empty for no limit") => (
    <LimitField label={label} hint={hint} value={form[name]} onEdit={(text) => edit({ [name]: text })} />
  );
  return (
    <Form label="Limits of the wallet" onSubmit={save}>
      <p class="quiet">
        Tighter limits apply at once, looser ones after a day, so that a stolen session cannot lift them.
      </p>
      {read.pending && (
        <section class="notice">
          <p>Pending until {day(read.pending.effectiveAt)}. In force until then:</p>
          <Facts
            facts={[
              ["Per buy", read.policy.maxPerOrder ? `${read.policy.maxPerOrder} ${coin}` : "no limit"],
              ["Per day", read.policy.maxPerDay ? `${read.policy.maxPerDay} ${coin}` : "no limit"],
              ["Trading", read.policy.tradingEnabled ? "on" : "off"],
            ]}
          />
        </section>
      )}
      {number("maxPerOrder", `Most for a buy, ${coin}`)}
      {number("maxPerDay", `Most in a day, ${coin}`)}
      {number("maxNetworkFeesPerDay", `Most network fees in a day, ${coin}`, "empty for the usual limit")}
      {number("maxSlippage", "Most slippage, %")}
      <Field label="Tokens that may be bought" hint="one address a line, empty for any">
        <textarea
          rows={3}
          spellcheck={false}
          value={form.tokens}
          onInput={({ currentTarget }) => edit({ tokens: currentTarget.value })}
        />
      </Field>
      <label class="switch">
        <input
          type="checkbox"
          checked={form.anyLoss}
          onChange={({ currentTarget }) => edit({ anyLoss: currentTarget.checked })}
        />
        <span>Orders may lose more than half of their value without a new sign-in</span>
      </label>
      <label class="switch">
        <input
          type="checkbox"
          checked={form.tradingEnabled}
          onChange={({ currentTarget }) => edit({ tradingEnabled: currentTarget.checked })}
        />
        <span>The wallet may trade</span>
      </label>
      <button type="submit" class="primary" disabled={isBusy}>
        Save the limits
      </button>
    </Form>
  );
}
