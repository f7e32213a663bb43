import type { Quote, TokenName } from "trading-terminal-client";
import { Drawer, type NetworkName, Select } from "../controls.tsx";
import { useDesk } from "../desk.ts";
import { coinOf, plainNumber } from "../format.ts";
import { useRestMarket } from "../market/use-market.ts";
import { NumberField } from "../number-field.tsx";
import { leastHint } from "./least.ts";
import { gasPresets, givenLimits, type Limits, numbersOf } from "./order-limits.ts";
import type { Problems } from "./refusals.ts";

const presets = gasPresets.map((preset) => [preset, preset] as const);
const protections = [
  ["on", "on"],
  ["off", "off"],
] as const;

type LimitsProps = {
  chain: NetworkName;
  limits: Limits;
  problems: Problems;
  onEdit: (limits: Limits) => void;
};

/** Edits the limits of one order. For an empty limit, the user's setting applies. */
export function LimitsForm({ chain, limits, problems, onEdit }: LimitsProps) {
  const settings: Readonly<Record<string, { [name: string]: unknown }>> = useDesk().state?.settings ?? {};
  // Some chains have no trading settings.
  const asSet = settings[chain] === undefined ? "the default" : "as in the settings";
  const edit = (change: Partial<Limits>) => onEdit({ ...limits, ...change });
  const isSet = Object.keys(givenLimits(chain, limits)).length > 0;
  const hasProblem = numbersOf(chain).some(([name]) => problems[name] !== undefined);
  return (
    <Drawer isNeeded={hasProblem}>
      <summary>Limits of this order {isSet && <span class="badge">set</span>}</summary>
      <div class="limits">
        {numbersOf(chain).map(([name, label]) => {
          const setting = settings[chain]?.[name];
          return (
            <NumberField
              key={name}
              label={label}
              hint={asSet}
              problem={problems[name]}
              value={limits[name]}
              placeholder={setting === undefined ? "" : plainNumber(Number(setting))}
              onEdit={(text) => edit({ [name]: text })}
            />
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
    </Drawer>
  );
}

type LeastProps = TokenName & {
  symbol: string;
  side: Quote["side"];
  least: string;
  problem: string | undefined;
  onEdit: (least: string) => void;
};

/**
 * Asks for the smallest acceptable amount if only a router's server knows the token's price. The field starts empty,
 * because nothing else confirms the quote. If another source has a price, it is shown as a hint.
 */
export function LeastField({ chain, token, symbol, side, least, problem, onEdit }: LeastProps) {
  const { state } = useDesk();
  const { market } = useRestMarket({ chain, token });
  return (
    <NumberField
      label={`At least, ${side === "buy" ? symbol : coinOf[chain]}`}
      hint={leastHint({ chain, token }, symbol, state, market)}
      problem={problem}
      value={least}
      onEdit={onEdit}
    />
  );
}
