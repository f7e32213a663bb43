import { evidence, type FactName, networkFacts } from "../../core/network-facts.ts";

/** Days after which somebody should look at a fact again, and after which the nightly check fails. */
const warnDays = 90;
const mostDays = 120;

const dayMs = 86_400_000;

/** Facts by age, the oldest first, as lines for people. */
export type FactAges = { lines: string[]; areTooOld: boolean };

/**
 * Lists the facts about networks with the days on which they were seen. A change to come is due for a look from its own
 * day on.
 */
export function factAges(nowMs: number, dated: typeof evidence = evidence): FactAges {
  const ages = Object.entries(dated).map(([name, { seen, source }]) => {
    const value = networkFacts[name as FactName];
    const fromMs = Date.parse(seen);
    const days = Math.floor((nowMs - fromMs) / dayMs);
    const hasCome = isDay(value) && fromMs < Date.parse(value) && Date.parse(value) <= nowMs;
    const words =
      days > mostDays
        ? `older than ${mostDays} days: look at it`
        : days > warnDays
          ? `older than ${warnDays} days: look at it soon`
          : hasCome
            ? "has come: look at what it changes"
            : "";
    return { name, value, seen, source, days, words };
  });
  return {
    lines: ages
      .toSorted((a, b) => b.days - a.days)
      .map(({ name, value, seen, source, words }) =>
        `${words === "" ? "" : "warning: "}${name} ${value}, seen ${seen} at ${source}${words === "" ? "" : `: ${words}`}`.trimEnd(),
      ),
    areTooOld: ages.some(({ days }) => days > mostDays),
  };
}

const isDay = (value: unknown): value is string =>
  typeof value === "string" && /^\d{4}-\d\d-\d\d$/.test(value);
