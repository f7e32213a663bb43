import { Panel } from "./controls.tsx";
import { NumberField } from "./number-field.tsx";
import { Chips } from "./ticket/chips.tsx";
import { ExitsEditor } from "./ticket/exits-editor.tsx";
import { freshTerms, ofType, orderTypes } from "./ticket/order-types.ts";
import { PlaceBar } from "./ticket/place-bar.tsx";
import { PresetsDrawer } from "./ticket/presets-drawer.tsx";
import { RestingView } from "./ticket/resting-view.tsx";
import { sentenceOf } from "./ticket/sentence.ts";
import { OrderTypes, TermsForm } from "./ticket/terms-form.tsx";
import type { Quoted, Verdict } from "./ticket/verdict.ts";

const ignore = () => {};
const terms = { ...freshTerms, price: "0.0002", stopPrice: "0.00009", takeProfit: "0.0002" };
const resting = {
  price: "0.0001",
  worst: "0.000072",
  expiresAt: new Date(Date.now() + 30 * 86_400_000).toISOString(),
  maxNetworkFee: "0.01",
};
const reference = { price: "0.0001", name: "the market price" };
const known = { amount: "1204.5", now: reference, reference, worst: "0.000072" };
const half = { chain: "eth", side: "sell", symbol: "MOON", given: "50", unit: "percent", terms } as const;

const verdicts: Verdict[] = [
  { act: "place", text: "Buy 0.1 ETH of MOON" },
  { act: "agree", text: "Agree to the new price", reason: "The price moved.", tone: "warn" },
  { act: "none", text: "Cannot buy TRAP", reason: "The token cannot be sold.", tone: "bad" },
];

type FieldsProps = { quote: NonNullable<Quoted["quote"]> };

/** Shows the fields of each type of order, right and wrong, and the sentence about it. */
export const TicketFields = ({ quote }: FieldsProps) => (
  <Panel title="Fields of the ticket" area="fields">
    {verdicts.map((verdict) => (
      <PlaceBar key={verdict.act} side="buy" verdict={verdict} onAct={ignore} />
    ))}
    <OrderTypes type="stop" side="sell" onPick={ignore} />
    {orderTypes.map(({ type }) => (
      <section key={type} aria-label={`Type ${type}`}>
        <h3>{ofType(type).label}</h3>
        <TermsForm
          chain="eth"
          side="sell"
          type={type}
          terms={terms}
          reference={reference}
          problems={{}}
          onEdit={ignore}
        />
        <p class="sentence">{sentenceOf({ ...half, type }, known)}</p>
      </section>
    ))}
    <NumberField label="Wrong" hint="1 ETH to spend" problem="Write a number." value="1,5" onEdit={ignore} />
    <Chips
      label="Chips"
      chips={["25 %", "50 %"].map((text, index) => ({ text, isPressed: index === 1, onPick: ignore }))}
    />
    <ExitsEditor
      exits={[
        { percent: "80", gain: "100", loss: "30", isTrailing: false },
        { percent: "40", gain: "", loss: "2", isTrailing: true },
      ]}
      problem="The parts add up to 120 %. All of them may be at most 100 %."
      onEdit={ignore}
    />
    <PresetsDrawer
      chain="eth"
      side="buy"
      current={{ side: "buy", given: "0.25", unit: "amount", exits: [] }}
      size="0.25 ETH"
      onUse={ignore}
    />
    <RestingView quote={quote} resting={resting} />
  </Panel>
);
