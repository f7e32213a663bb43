/** How long to keep asking hosts that disagree, and the pause between two rounds. */
const agreeMs = 2000;
const pauseMs = 100;

type Group<Host> = {
  hosts: readonly Host[];
  /** Returns the hosts. Those that failed recently come last. */
  inOrder: () => readonly Host[];
};

/** Settings for asking a chain's hosts about one trade. */
export type Rounds<Host, Quote> = Group<Host> & {
  quoteBy: (host: Host) => Promise<Quote>;
  /** Asks some hosts in one round. */
  ask: (hosts: readonly Host[], isFirst: boolean) => Promise<readonly Quote[]>;
  isAgreed: (a: Quote, b: Quote) => boolean;
  nowMs: () => number;
  pause: (ms: number) => Promise<unknown>;
};

/** Lists the hosts that a quote asks first: two, or the only one. */
export const hostsOfFirstRound = <Host>({ hosts, inOrder }: Group<Host>): readonly Host[] =>
  hosts.length < 2 ? hosts : inOrder().slice(0, 2);

/**
 * Asks hosts until two agree, or until the time limit is reached. If only one host responds, its answer is accepted.
 */
export async function askInRounds<Host, Quote>({
  hosts,
  inOrder,
  quoteBy,
  ask,
  isAgreed,
  nowMs,
  pause,
}: Rounds<Host, Quote | undefined>): Promise<readonly [Quote | undefined, Quote | undefined]> {
  const untilMs = nowMs() + agreeMs;
  const [only, another] = hosts;
  if (only !== undefined && another === undefined) {
    const quote = await quoteBy(only);
    return [quote, quote];
  }
  for (let isFirst = true; ; isFirst = false) {
    // Asks the other hosts only if the first two do not agree.
    const quotes = await ask(isFirst ? hostsOfFirstRound({ hosts, inOrder }) : inOrder(), isFirst);
    const pairs = quotes.flatMap((a, index) => quotes.slice(index + 1).map((b) => [a, b] as const));
    const settled = pairs.find(([a, b]) => isAgreed(a, b));
    if (settled !== undefined) return settled;
    if (nowMs() + pauseMs >= untilMs) return pairs[0] ?? [undefined, undefined];
    await pause(pauseMs);
  }
}
