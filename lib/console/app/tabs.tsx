import { useDesk } from "./desk.ts";
import { isOpen } from "./format.ts";

const tabs = [
  ["trade", "Trade"],
  ["positions", "Positions"],
  ["orders", "Orders"],
  ["wallets", "Wallets"],
  ["more", "More"],
] as const;

export type Tab = (typeof tabs)[number][0];

/** Sections of the desk. A phone shows one of them at a time. */
export function Tabs({ tab, onPick }: { tab: Tab; onPick: (tab: Tab) => void }) {
  const { state } = useDesk();
  const open = {
    positions: state?.positions.filter(({ status }) => status === "open").length,
    orders: state?.orders.filter(isOpen).length,
  };
  return (
    <nav class="tabs" aria-label="Parts of the desk">
      {tabs.map(([name, text]) => (
        <button
          key={name}
          type="button"
          aria-current={name === tab ? "page" : undefined}
          onClick={() => {
            onPick(name);
            scrollTo(0, 0);
          }}
        >
          {text}
          {name in open && Boolean(open[name as keyof typeof open]) && (
            <small> {open[name as keyof typeof open]}</small>
          )}
        </button>
      ))}
    </nav>
  );
}
