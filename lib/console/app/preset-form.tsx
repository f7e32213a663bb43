import { useState } from "preact/hooks";
import type { Preset, RestData, RestRequest, SettingsChain } from "trading-terminal-client";
import { Form, type NetworkName, Select, Unread } from "./controls.tsx";
import { useCall, useDesk, useReading } from "./desk.ts";
import { coinOf } from "./format.ts";
import { NumberField } from "./number-field.tsx";
import { aboutNumber, type NumberRule, type Range } from "./number-range.ts";
import { exitsFrom, textsOfExits, wrongExits } from "./ticket/exits.ts";
import { ExitsEditor } from "./ticket/exits-editor.tsx";

type Answer = RestData<"getPreset">;

const percents: Range = [0, 100];

const textsOf = (preset: Preset | undefined) => ({
  wallet: preset?.wallet ?? "",
  buyAmount: preset?.buyAmount ?? "",
  slippage: String(preset?.slippage ?? ""),
  maxBuyTax: String(preset?.maxBuyTax ?? 5),
  maxSellTax: String(preset?.maxSellTax ?? 5),
  minLiquidity: preset?.minLiquidity ?? "",
  autoBuy: preset?.autoBuy ?? false,
  autoSell: preset?.autoSell ?? false,
  exits: textsOfExits(preset?.exits ?? []),
});

/** Shows and edits a chain's preset. Reads it only once it is opened. */
export function PresetDrawer({ chain }: { chain: NetworkName }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="drawer" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Preset for automatic orders</summary>
      {isOpen && <PresetForm chain={chain} />}
    </details>
  );
}

/** @param chain Never changes; another chain has a form of its own. */
function PresetForm({ chain }: { chain: NetworkName }) {
  const { terminal, state, notify } = useDesk();
  const { call, isBusy } = useCall();
  const [read, setRead] = useState<Answer>();
  const [form, setForm] = useState<ReturnType<typeof textsOf>>();
  const [hasFailed, setFailed] = useState(false);
  const path = { chain };
  const coin = coinOf[chain];
  const wallets = (state?.wallets ?? []).filter(({ network }) => network === chain);

  function show(answer: Answer | undefined) {
    setRead(answer);
    setForm(textsOf(answer?.preset));
  }
  async function readPreset() {
    const { data, error } = await terminal.getPreset({ path });
    const isRead = error === undefined || error.code === "NO_PRESET";
    setFailed(!isRead);
    if (isRead) show(data);
  }
  useReading(() => {
    if (form === undefined) void readPreset();
  }, [chain]);

  async function save() {
    if (form === undefined) return;
    const { buyAmount, slippage, maxBuyTax, maxSellTax, minLiquidity, autoBuy, autoSell } = form;
    const body = {
      wallet: form.wallet || wallets[0]?.generatedWalletAddress,
      buyAmount,
      ...(slippage && { slippage: Number(slippage) }),
      exits: exitsFrom(form.exits),
      maxBuyTax: Number(maxBuyTax),
      maxSellTax: Number(maxSellTax),
      ...(minLiquidity && { minLiquidity }),
      ...(!hasSettings(chain) && { autoBuy, autoSell }),
    } as RestRequest<"setPreset">["body"];
    const headers = { "If-Match": `"${read?.version ?? 0}"` };
    const saved = await call(() => terminal.setPreset({ path, headers, body }));
    if (saved === undefined) return;
    show(saved);
    notify("The preset is saved");
  }

  if (form === undefined)
    return hasFailed ? (
      <Unread what="preset" onRetry={readPreset} />
    ) : (
      <p class="empty">Reading the preset …</p>
    );
  if (wallets.length === 0) return <p class="empty">Add a wallet on this chain first.</p>;
  const edit = (change: Partial<typeof form>) => setForm({ ...form, ...change });
  type NumberName = "buyAmount" | "slippage" | "maxBuyTax" | "maxSellTax" | "minLiquidity";
  const number = (name: NumberName, label: string, rule: NumberRule = {}) => (
    <NumberField
      {...aboutNumber(form[name], rule)}
      label={label}
      value={form[name]}
      onEdit={(text) => edit({ [name]: text })}
    />
  );
  const flag = (name: "autoBuy" | "autoSell") => (
    <label class="switch">
      <input
        type="checkbox"
        checked={form[name]}
        onChange={({ currentTarget }) => edit({ [name]: currentTarget.checked })}
      />
      <span>{switchTexts[name]}</span>
    </label>
  );
  return (
    <Form label="Preset for automatic orders" onSubmit={save}>
      <Select
        label="Wallet"
        value={form.wallet || (wallets[0]?.generatedWalletAddress ?? "")}
        options={wallets.map(({ generatedWalletAddress: address, slotName }) => [address, slotName] as const)}
        onPick={(wallet) => edit({ wallet })}
      />
      {number("buyAmount", `Amount of a buy, ${coin}`)}
      {number("slippage", "Slippage of a buy, %", { range: [0.0001, 50], whenEmpty: "that of the settings" })}
      {number("maxBuyTax", "Highest tax on buying, %", { range: percents })}
      {number("maxSellTax", "Highest tax on selling, %", { range: percents })}
      {number("minLiquidity", `Least liquidity, ${coin}`, { whenEmpty: "any" })}
      {!hasSettings(chain) && flag("autoBuy")}
      {!hasSettings(chain) && flag("autoSell")}
      <ExitsEditor
        exits={form.exits}
        problem={wrongExits(form.exits)}
        onEdit={(exits) => edit({ exits: [...exits] })}
      />
      {read?.warnings.includes("NO_DAY_LIMIT") && (
        <p class="notice">The wallet's limits let it spend any amount in a day.</p>
      )}
      <button type="submit" class="primary" disabled={isBusy || wrongExits(form.exits) !== undefined}>
        Save the preset
      </button>
    </Form>
  );
}

/** Explains the two switches. Chains with settings have them there. */
export const switchTexts = {
  autoBuy: "Automatic buys by the preset",
  autoSell: "The preset's exits on all buys",
} as const;

const settingsChains: Readonly<Record<SettingsChain, true>> = { eth: true, base: true, sol: true };

export const hasSettings = (chain: NetworkName): chain is SettingsChain =>
  Object.hasOwn(settingsChains, chain);
