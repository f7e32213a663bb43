import { type ChainLook, findingsOf, lineOfFinding } from "./report.ts";

/** Records many looks at hosts, for a summary. */
export type WatchedHosts = {
  /** Records a look. Returns a line for each check whose result has changed. */
  note(look: ChainLook): string[];
  /** Lists how often each check found a problem, and the longest lags. */
  summary(): string[];
  /** True if trading would have failed at some point. */
  hasFailed(): boolean;
};

export function watchHosts(): WatchedHosts {
  const lastWords = new Map<string, string | undefined>();
  const counts = new Map<string, { checked: number; bad: number; fatal: number }>();
  const longestLags = new Map<string, number>();
  const differences = new Map<string, number>();
  return {
    note(look) {
      const { chain, hosts, quotes } = look;
      for (const { host, lagSeconds = 0 } of hosts) raise(longestLags, `${chain} ${host}`, lagSeconds);
      for (const { symbol, differenceBps = 0 } of quotes)
        raise(differences, `${chain}, quote of ${symbol}`, differenceBps);
      return findingsOf(look).flatMap((finding) => {
        const { subject, problem } = finding;
        const { checked, bad, fatal } = counts.get(subject) ?? { checked: 0, bad: 0, fatal: 0 };
        counts.set(subject, {
          checked: checked + 1,
          bad: bad + (problem === undefined ? 0 : 1),
          fatal: fatal + (problem?.isFatal ? 1 : 0),
        });
        const hasChanged = lastWords.get(subject) !== problem?.words;
        lastWords.set(subject, problem?.words);
        return hasChanged ? [lineOfFinding(finding)] : [];
      });
    },
    summary() {
      const bad = [...counts].filter(([, each]) => each.bad > 0);
      return [
        ...[...longestLags].map(([host, seconds]) => `${host}: at most ${seconds} s behind`),
        ...[...differences]
          .filter(([, bps]) => bps > 0)
          .map(([quote, bps]) => `${quote}: at most ${bps} basis points apart`),
        ...bad.map(
          ([subject, each]) =>
            `${subject}: a problem in ${each.bad} of ${each.checked} checks, ${each.fatal} of which would fail`,
        ),
        ...(bad.length === 0 ? ["Every check passed."] : []),
      ];
    },
    hasFailed: () => [...counts.values()].some(({ fatal }) => fatal > 0),
  };
}

function raise(highest: Map<string, number>, key: string, value: number): void {
  highest.set(key, Math.max(value, highest.get(key) ?? 0));
}
