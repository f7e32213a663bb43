/** Keeps the beginning and the end of an address. */
export const shortened = (address: string) =>
  address.length > 14 ? `${address.slice(0, 6)}…${address.slice(-4)}` : address;

/** Formats decimal text with at least `digits` significant digits and separated thousands. */
export function amount(text: string | undefined, digits = 6): string {
  if (text === undefined) return "–";
  const [, sign = "", whole = "0", fraction = ""] = /^(-?)(\d+)(?:\.(\d*))?$/.exec(text) ?? [];
  const grouped = whole.replaceAll(/\B(?=(\d{3})+$)/g, " ");
  const places = whole === "0" ? (/^0*/.exec(fraction)?.[0].length ?? 0) : -whole.length;
  const shown = fraction.slice(0, Math.max(0, places + digits)).replace(/0+$/, "");
  return `${sign === "-" ? "−" : ""}${grouped}${shown && `.${shown}`}`;
}

export const coinOf = { eth: "ETH", base: "ETH", bsc: "BNB", avax: "AVAX", sol: "SOL" } as const;

/** Jupiter's terms ask for its label. */
const venueNames: Readonly<Record<string, string>> = {
  "raydium-cpmm": "Raydium CPMM",
  "jupiter-metis": "Metis, Powered by Jupiter",
};

/** Returns the name under which people know an exchange. */
const venueName = (venue: string) => venueNames[venue] ?? venue;

/** Names the pool of a step, with its fee. Jupiter names neither. */
export const stepText = ({ venue, feeBps }: { venue: string; feeBps?: number }) =>
  feeBps === undefined ? venueName(venue) : `${venueName(venue)} ${feeBps / 100} %`;

/** Writes a number without an exponent: browsers show a lamport of SOL as 1e-9. */
export const plainNumber = (value: number) =>
  value.toLocaleString("en", { useGrouping: false, maximumFractionDigits: 20 });

/** Formats a price in USD. */
export const usd = (price: number) =>
  price.toLocaleString("en", { minimumFractionDigits: 2, maximumFractionDigits: price < 10 ? 4 : 2 });

export const clock = (time: string | number) =>
  new Date(time).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });

export const percent = (value: number | null | undefined) =>
  value === undefined || value === null ? "unknown" : `${value} %`;

/** Turns a code such as `GAS_PRICE_TOO_HIGH` into words. */
export const words = (code: string) => code.toLowerCase().replaceAll("_", " ");
