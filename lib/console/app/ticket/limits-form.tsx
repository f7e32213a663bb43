import type { Quote, TokenName } from "trading-terminal-client";
import { Field, type NetworkName, Select } from "../controls.tsx";
import { useDesk } from "../desk.ts";
import { coinOf, plainNumber } from "../format.ts";
import { useRestMarket } from "../market/use-market.ts";
import { leastHint } from "./least.ts";
import { gasPresets, givenLimits, type Limits, numbersOf, wrongLimit } from "./order-limits.ts";

const presets = gasPresets.map((preset) => [preset, preset] as const);
const protections = [
  ["on", "on"],
  ["off", "off"],
] as const;

type LimitsProps = { chain: NetworkName; limits: Limits; onEdit: (limits: Limits) => void };

/** Edits the limits of one order. For an empty limit, the user's setting applies. */
export function LimitsForm({ chain, limits, onEdit }: LimitsProps) {
  const settings: Readonly<Record<string, { [name: string]: unknown }>> = useDesk().state?.settings ?? {};
  // Some chains have no trading settings.
  const asSet = settings[chain] === undefined ? "the default" : "as in the settings";
  const edit = (change: Partial<Limits>) => onEdit({ ...limits, ...change });
  const isSet = Object.keys(givenLimits(chain, limits)).length > 0;
  return (
    <details class="drawer">
      <summary>Limits of this order {isSet && <span class="badge">set</span>}</summary>
      <div class="limits">
        {numbersOf(chain).map(([name, label]) => {
          const setting = settings[chain]?.[name];
          return (
            <Field key={name} label={label} hint={asSet}>
              <input
                inputMode="decimal"
                pattern="[0-9]*[.]?[0-9]+"
                title="A number, such as 1.5"
                aria-invalid={wrongLimit(chain, limits) === label}
                value={limits[name]}
                placeholder={setting === undefined ? "" : plainNumber(Number(setting))}
                onInput={({ currentTarget }) => edit({ [name]: currentTarget.value.trim() })}
              />
            </Field>
          );
        })}
        {chain !== "sol" && (
          <Select
            label="Gas"
            value={limits.gasPreset}
            options={[["", asSet], ...presets]}
            onPick={(gasPreset) => edit({ gasPreset })}
          />
        )}
        <Select
          label="MEV protection"
          value={limits.mevProtection}
          options={[["", asSet], ...protections]}
          onPick={(mevProtection) => edit({ mevProtection })}
        />
      </div>
    </details>
  );
}

type LeastProps = TokenName & {
  symbol: string;
  side: Quote["side"];
  least: string;
  onEdit: (least: string) => void;
};

/**
 * Asks for the smallest acceptable amount if only a router's server knows the token's price. The field starts empty,
 * because nothing else confirms the quote. If another source has a price, it is shown as a hint.
 */
export function LeastField({ chain, token, symbol, side, least, onEdit }: LeastProps) {
  const { state } = useDesk();
  const { market } = useRestMarket({ chain, token });
  return (
    <Field
      label={`At least, ${side === "buy" ? symbol : coinOf[chain]}`}
      hint={leastHint({ chain, token }, symbol, state, market)}
    >
      <input
        inputMode="decimal"
        pattern="[0-9]*[.]?[0-9]+"
        title="A number, such as 0.5"
        value={least}
        onInput={({ currentTarget }) => onEdit(currentTarget.value.trim())}
      />
    </Field>
  );
}
