import { useState } from "preact/hooks";
import type { Settings, SettingsChain } from "trading-terminal-client";
import { Choice, Form, type NetworkName, networks, Panel } from "./controls.tsx";
import { useCall, useDesk } from "./desk.ts";
import { chainName, plainNumber } from "./format.ts";
import { NumberField } from "./number-field.tsx";
import { aboutNumber, type Range } from "./number-range.ts";
import { hasSettings, PresetDrawer, switchTexts } from "./preset-form.tsx";
import { gasPresets } from "./ticket/order-limits.ts";

const switches = [
  ["mevProtection", "MEV protection"],
  ["autoBuy", switchTexts.autoBuy],
  ["autoSell", switchTexts.autoSell],
] as const;
const numbers = {
  slippage: ["Slippage, %", [0.0001, 100]],
  maxGasPrice: ["Max gas price, gwei", [1e-9, 1e9]],
  priorityFee: ["Priority fee, SOL", [0, 1e6]],
} as const satisfies Record<string, [label: string, range: Range]>;

/** Highest gas prices in gwei of the chains that have no settings. */
const fixedGas = { bsc: 10, avax: 50 } as const;

/** Explains what holds on a chain whose settings the interface does not have. */
const FixedSettings = ({ chain }: { chain: keyof typeof fixedGas }) => (
  <p class="notice">
    Orders on {chainName[chain]} always use a slippage of 1 %, the gas preset medium with at most{" "}
    {fixedGas[chain]} gwei, and MEV protection: the service keeps settings for Ethereum, Base and Solana only.
    The limits of each order, and the preset below, work on {chainName[chain]} too.
  </p>
);

/** Unsaved edits of each chain, which outlive the panel. */
export type Drafts = Partial<Record<SettingsChain, Draft | undefined>>;

type PanelProps = { drafts: Drafts; setDrafts: (change: (before: Drafts) => Drafts) => void };

export function SettingsPanel({ drafts, setDrafts }: PanelProps) {
  const { state } = useDesk();
  const [chain, setChain] = useState<NetworkName>("eth");
  const current = hasSettings(chain) ? state?.settings[chain] : undefined;
  return (
    <Panel
      title="Settings"
      area="settings"
      aside={current && <span class="badge">version {current.version}</span>}
    >
      <Choice label="Chain" name="settings-chain" value={chain} options={networks} onPick={setChain} />
      <p class="quiet">Each chain has settings of its own. They apply to orders that say nothing else.</p>
      {!hasSettings(chain) ? (
        <FixedSettings chain={chain} />
      ) : current ? (
        <SettingsForm
          key={chain}
          chain={chain}
          current={current}
          draft={drafts[chain]}
          changeDraft={(change) => setDrafts((all) => ({ ...all, [chain]: change(all[chain]) }))}
        />
      ) : (
        <p class="empty">Reading the settings …</p>
      )}
      <PresetDrawer key={`preset of ${chain}`} chain={chain} />
    </Panel>
  );
}

type Edits = Partial<Record<keyof typeof numbers, string>> & {
  gasPreset?: (typeof gasPresets)[number];
} & Partial<Record<(typeof switches)[number][0], boolean>>;

/** Unsaved edits, and the version of the settings that they are based on. */
type Draft = { edits: Edits; basis: number };

/** Returns what was edited while a save was under way, on top of the version that it made. */
function unsent(draft: Draft | undefined, sent: Edits, basis: number): Draft | undefined {
  const left = Object.entries(draft?.edits ?? {}).filter(
    ([name, value]) => sent[name as keyof Edits] !== value,
  );
  return left.length === 0 ? undefined : { edits: Object.fromEntries(left), basis };
}

type FormProps = {
  chain: SettingsChain;
  current: Settings;
  draft: Draft | undefined;
  changeDraft: (change: (before: Draft | undefined) => Draft | undefined) => void;
};

/**
 * Shows the service's settings until the user edits them. If they then change elsewhere, shows the change and never
 * overwrites it.
 */
function SettingsForm({ chain, current: streamed, draft, changeDraft }: FormProps) {
  const { terminal, notify } = useDesk();
  const { call, isBusy } = useCall();
  const [saved, setSaved] = useState<Settings>();
  // Shows saved settings until the stream delivers them.
  const current = saved && saved.version > streamed.version ? saved : streamed;
  const { edits, basis } = draft ?? { edits: {} as Edits, basis: current.version };
  const isEdited = Object.keys(edits).length > 0;
  const isBehind = isEdited && basis !== current.version;

  const edit = (change: Edits) => changeDraft(() => ({ edits: { ...edits, ...change }, basis }));
  const discard = () => changeDraft(() => undefined);
  const shown = { ...current, ...edits } as Record<string, unknown>;

  async function save() {
    const { slippage, maxGasPrice, priorityFee, ...rest } = edits;
    const texts = Object.entries({ slippage, maxGasPrice, priorityFee }).filter(
      ([, text]) => text !== undefined,
    );
    const body = { ...rest, ...Object.fromEntries(texts.map(([name, text]) => [name, Number(text)])) };
    const headers = { "If-Match": `"${basis}"` };
    const answer = await call(() => terminal.updateTradingSettings({ path: { chain }, headers, body }));
    if (answer === undefined) return;
    // Each change increases the version by one.
    const version = basis + 1;
    setSaved({ ...answer, version } as Settings);
    changeDraft((now) => unsent(now, edits, version));
    notify("The settings are saved");
  }

  return (
    <Form label="Trading settings" class="settings-form" onSubmit={save}>
      {(Object.keys(numbers) as (keyof typeof numbers)[])
        .filter((name) => name in current)
        .map((name) => {
          const [label, range] = numbers[name];
          const value = edits[name] ?? plainNumber(Number(shown[name]));
          return (
            <NumberField
              key={name}
              {...aboutNumber(value, { range })}
              label={label}
              value={value}
              onEdit={(text) => edit({ [name]: text })}
            />
          );
        })}
      {"gasPreset" in current && (
        <Choice
          label="Gas"
          name={`preset-${chain}`}
          value={shown.gasPreset as (typeof gasPresets)[number]}
          options={gasPresets.map((preset) => [preset, preset] as const)}
          onPick={(gasPreset) => edit({ gasPreset })}
        />
      )}
      {switches.map(([name, text]) => (
        <label key={name} class="switch">
          <input
            type="checkbox"
            checked={shown[name] === true}
            onChange={({ currentTarget }) => edit({ [name]: currentTarget.checked })}
          />
          <span>{text}</span>
        </label>
      ))}
      {isBehind && (
        <p class="notice">
          Changed elsewhere meanwhile: nothing will be saved.{" "}
          <button type="button" class="plain" onClick={discard}>
            Show the current settings
          </button>
        </p>
      )}
      <div class="buttons">
        <button type="submit" class="primary" disabled={!isEdited || isBusy || isBehind}>
          Save
        </button>
        {isEdited && !isBehind && (
          <button type="button" onClick={discard}>
            Discard
          </button>
        )}
      </div>
    </Form>
  );
}
