import { StartupError } from "cdk-local-runner";
import type { Order, Position } from "../../domain/execution.ts";
import type { TradingChain } from "../../domain/trading/trading-chain.ts";
import { Away, type DemoPatience, patiently } from "./patience.ts";

export type Side = { side: "buy"; amount: string } | { side: "sell"; percent: number };

export type DemoAttempt = { purpose: string; outcome: string; txHash: string };

export type Balance = { token: string; amount: string };

export type DemoServiceOptions = {
  baseUrl: string;
  /** @throws StartupError if no runner answers */
  token: () => Promise<string>;
  patience: DemoPatience;
};

type Request = { path: string; body?: object; key?: string };

/** A request may take as long as API Gateway lets it. */
const timeoutMs = 30_000;

/** Wallets and tokens are the same on all chains, so that a list holds the orders of all of them. */
const newest = 100;

/** How long a list of orders is shared by those who wait for one of them. */
const sharedMs = 150;

/** The API as a user sees it: a request is repeated until the service answers it. */
export class DemoService {
  readonly #options: DemoServiceOptions;
  #token: string | undefined;
  #listed: { fromMs: number; orders: Promise<Order[]> } | undefined;

  constructor(options: DemoServiceOptions) {
    this.#options = options;
  }

  /** Places an order, once for each key. */
  async place(
    place: { chain: TradingChain; wallet: string; token: string; validForSeconds: number } & Side,
    key: string,
  ): Promise<Order> {
    const body = { type: "market", ...place };
    const { order } = await this.#ask<{ order: Order }>({ path: "/api/v2/orders", body, key });
    return order;
  }

  /** The user's newest orders, of all chains. */
  orders(): Promise<Order[]> {
    const { nowMs } = this.#options.patience;
    if (this.#listed === undefined || nowMs() - this.#listed.fromMs >= sharedMs) {
      const listed = this.#ask<{ orders: Order[] }>({ path: `/api/v2/orders?limit=${newest}` });
      this.#listed = { fromMs: nowMs(), orders: listed.then(({ orders }) => orders) };
    }
    return this.#listed.orders;
  }

  async attempts(orderID: string): Promise<DemoAttempt[]> {
    const { attempts } = await this.#ask<{ attempts: DemoAttempt[] }>({ path: `/api/v2/orders/${orderID}` });
    return attempts;
  }

  /** Newest first. */
  async positions(chain: TradingChain, wallet: string): Promise<Position[]> {
    const path = `/api/v2/positions?chain=${chain}&wallet=${wallet}&limit=${newest}`;
    return (await this.#ask<{ positions: Position[] }>({ path })).positions;
  }

  async balances(chain: TradingChain, wallet: string): Promise<Balance[]> {
    const path = `/api/v2/balances?chain=${chain}&wallet=${wallet}`;
    return (await this.#ask<{ balances: Balance[] }>({ path })).balances;
  }

  #ask<Data>(request: Request): Promise<Data> {
    return patiently(this.#options.patience, () => this.#try<Data>(request));
  }

  async #try<Data>({ path, body, key }: Request): Promise<Data> {
    const { baseUrl } = this.#options;
    this.#token ??= await away(`No runner answers at ${baseUrl}`, this.#options.token());
    const headers = {
      Authorization: `Bearer ${this.#token}`,
      ...(body && { "Content-Type": "application/json" }),
      ...(key && { "Idempotency-Key": key }),
    };
    const { status, text } = await away(
      `The service does not answer ${path}`,
      fetch(`${baseUrl}${path}`, {
        headers,
        ...(body && { method: "POST", body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(timeoutMs),
      }).then(async (response) => ({ status: response.status, text: await response.text() })),
    );
    if (status === 401) this.#token = undefined;
    const answer = parsed(text) as { data?: Data; error?: { code?: string; message?: string } };
    if (status === 200 && answer.data !== undefined) return answer.data;
    const { code, message } = answer.error ?? {};
    const line = `The service answers ${path} with ${[status, code, message].filter(Boolean).join(" ")}`;
    // API Gateway's own answers have no code, such as its 403 while it does not know a new API key.
    if (status >= 500 || status === 429 || code === undefined) throw new Away(line);
    throw new StartupError(line);
  }
}

async function away<Answer>(message: string, asked: Promise<Answer>): Promise<Answer> {
  try {
    return await asked;
  } catch {
    throw new Away(message);
  }
}

function parsed(text: string): object {
  try {
    return (JSON.parse(text) as object | null) ?? {};
  } catch {
    return {};
  }
}
