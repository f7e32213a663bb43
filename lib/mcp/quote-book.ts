type Quoted = { tool: string; values: Terms; body: object; endsAtMs: number };

type Terms = Readonly<Record<string, unknown>>;

/**
 * Outcome for a quote: `body` is the order that confirms it, and `differs` names an argument that the quote does not
 * have.
 */
type Found = { body: object } | { differs: string } | undefined;

/** Keeps the quotes that an agent may confirm, in memory. Each stands for one order with exactly its arguments. */
export class QuoteBook {
  readonly #quotes = new Map<string, Quoted>();
  readonly #nowMs: () => number;
  /** Seconds during which a quote can be confirmed. */
  readonly seconds: number;

  constructor(nowMs: () => number, seconds: number) {
    this.#nowMs = nowMs;
    this.seconds = seconds;
  }

  add(tool: string, values: Terms, body: object): { quoteId: string; expiresAt: string } {
    const nowMs = this.#nowMs();
    for (const [id, { endsAtMs }] of this.#quotes) if (endsAtMs <= nowMs) this.#quotes.delete(id);
    const quoteId = crypto.randomUUID();
    const endsAtMs = nowMs + this.seconds * 1000;
    this.#quotes.set(quoteId, { tool, values, body, endsAtMs });
    return { quoteId, expiresAt: new Date(endsAtMs).toISOString() };
  }

  /** Finds what a quote confirms. Returns undefined if it is unknown or has expired. */
  find(quoteId: string, tool: string, values: Terms): Found {
    const quote = this.#quotes.get(quoteId);
    if (quote === undefined) return undefined;
    if (quote.tool !== tool) return { differs: `the tool, which was ${quote.tool}` };
    const names = new Set([...Object.keys(quote.values), ...Object.keys(values)]);
    const differing = [...names].find((name) => quote.values[name] !== values[name]);
    if (differing !== undefined)
      return { differs: `${differing}, which was ${String(quote.values[differing] ?? "absent")}` };
    return quote.endsAtMs > this.#nowMs() ? { body: quote.body } : undefined;
  }
}
