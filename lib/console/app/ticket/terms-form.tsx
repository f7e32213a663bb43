import type { NetworkName } from "../controls.tsx";
import { isAmount, moved } from "../exact.ts";
import { coinOf } from "../format.ts";
import { NumberField } from "../number-field.tsx";
import { Chips } from "./chips.tsx";
import type { Reference } from "./market-difference.ts";
import {
  hasSide,
  type OrderType,
  ofType,
  orderTypes,
  type Side,
  type TermName,
  type Terms,
} from "./order-types.ts";

/** Names of the fields, each with its unit. */
const labels: Readonly<Record<TermName, string>> = {
  price: "Price",
  stopPrice: "Stop price",
  takeProfit: "Take profit",
  worst: "Least price",
  trailPercent: "Distance below the top, %",
  slices: "Parts",
  minutes: "Minutes between two parts",
  days: "Days to wait",
};

/** Distances from the reference, in percent, that suit each field. */
const distances: Partial<Readonly<Record<TermName, Readonly<Record<Side, readonly number[]>>>>> = {
  price: { buy: [-5, -10, -25], sell: [10, 25, 100] },
  stopPrice: { buy: [], sell: [-5, -10, -25] },
  takeProfit: { buy: [], sell: [10, 25, 100] },
};

const labelOfTerm = (name: TermName, chain: NetworkName) =>
  isPrice(name) ? `${labels[name]}, ${coinOf[chain]}` : labels[name];

const isPrice = (name: TermName) => ["price", "stopPrice", "takeProfit", "worst"].includes(name);

const hintOf = (name: TermName, type: OrderType) =>
  name !== "worst"
    ? undefined
    : type === "twap"
      ? "of each part; if empty, 30 % beyond the price now"
      : "if empty, 0.8 × the stop";

type TypesProps = { type: OrderType; side: Side; onPick: (type: OrderType) => void };

/** Picks the type of the order. A type that only sells also switches to the sale. */
export const OrderTypes = ({ type, side, onPick }: TypesProps) => (
  <fieldset class="choice types">
    <legend>Type of order</legend>
    {orderTypes.map((each) => (
      <label key={each.type} title={hasSide(each.type, side) ? undefined : "For sales only"}>
        <input
          type="radio"
          name="order-type"
          value={each.type}
          checked={each.type === type}
          onChange={() => onPick(each.type)}
        />
        <span>{each.label}</span>
      </label>
    ))}
  </fieldset>
);

type TermsProps = {
  chain: NetworkName;
  side: Side;
  type: OrderType;
  terms: Terms;
  reference: Reference | undefined;
  problems: Partial<Readonly<Record<TermName, string>>>;
  onEdit: (terms: Terms) => void;
};

/** Edits what an order waits for. */
export function TermsForm({ chain, side, type, terms, reference, problems, onEdit }: TermsProps) {
  const edit = (name: TermName) => (text: string) => onEdit({ ...terms, [name]: text });
  const chipsOf = (name: TermName) =>
    (reference && isAmount(reference.price) ? (distances[name]?.[side] ?? []) : []).map((percent) => {
      const text = moved(reference?.price as string, percent);
      return {
        text: `${percent > 0 ? "+" : "−"}${Math.abs(percent)} %`,
        isPressed: terms[name] === text,
        onPick: () => edit(name)(text),
      };
    });
  return (
    <>
      {ofType(type).fields.map((name) => {
        const chips = chipsOf(name);
        return (
          <div key={name} class="term">
            <NumberField
              label={labelOfTerm(name, chain)}
              hint={hintOf(name, type)}
              problem={problems[name]}
              value={terms[name]}
              onEdit={edit(name)}
            />
            {chips.length > 0 && <Chips label={`${labels[name]} by ${reference?.name}`} chips={chips} />}
          </div>
        );
      })}
    </>
  );
}
