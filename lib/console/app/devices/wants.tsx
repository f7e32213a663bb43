import type { Device } from "./use-devices.ts";

export type Wants = Device["wants"];

export const allWanted: Wants = { fills: true, rejections: true, resting: true };

const texts: readonly (readonly [name: keyof Wants, text: string])[] = [
  ["fills", "Fills of orders"],
  ["rejections", "Orders that were rejected or expired"],
  ["resting", "Resting orders that ended without a fill"],
];

type ChoicesProps = { wants: Wants; onPick: (wants: Wants) => void };

/** Lets the user choose the notices of trades that a device gets. */
export const WantsChoices = ({ wants, onPick }: ChoicesProps) => (
  <div>
    {texts.map(([name, text]) => (
      <label key={name} class="switch">
        <input
          type="checkbox"
          checked={wants[name]}
          onChange={({ currentTarget }) => onPick({ ...wants, [name]: currentTarget.checked })}
        />
        <span>{text}</span>
      </label>
    ))}
  </div>
);

const words: Readonly<Record<keyof Wants, string>> = {
  fills: "fills",
  rejections: "rejections",
  resting: "ends of resting orders",
};

/** Lists what a device gets. */
export function wantsText(wants: Wants): string {
  const chosen = texts.filter(([name]) => wants[name]).map(([name]) => words[name]);
  return ["exports, limits and keys", ...chosen].join(", ");
}
