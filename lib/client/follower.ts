import type { AnyError } from "./answer.ts";
import { backoffMs, type Clock, callBack, limited, pause, type WaitLimits } from "./clock.ts";
import { withoutTokens, withTokens } from "./market-merge.ts";
import {
  askingForWallets,
  complete,
  type Held,
  newlyHeld,
  stateOf,
  withMessage,
  withSettings,
  withWalletList,
} from "./merge.ts";
import type { RestCalls } from "./methods.ts";
import type { ServerMessage } from "./openapi.ts";
import { onReturn } from "./page.ts";
import { withParts } from "./records.ts";
import type { Pages, RestData } from "./rest-types.ts";
import { Connection, type SocketConstructor } from "./socket.ts";
import {
  type FollowedToken,
  type FollowOptions,
  followable,
  type StreamStatus,
  type TerminalState,
  type TokenName,
} from "./stream-types.ts";
import { type Tokens, tokenError } from "./token-keeper.ts";

export type FollowerDeps = {
  calls: Pick<RestCalls, "getTradingSettings" | "getUserData">;
  pages: Pages;
  tokens: Tokens;
  clock: Clock;
  WebSocket: SocketConstructor;
  streamUrl: string;
};

/** Names the channels to which the service accepts subscriptions. */
const channels = followable.slice(0, 3);
const settingsChains = ["eth", "base", "sol"] as const;

/** Names the stream, whatever its address, as the service does. */
const purpose = { method: "GET", path: "/stream" };

const reconnectMs = [2000, 30_000] as const;
const readAgainMs = [500, 15_000] as const;
/** Time limit for receiving all snapshots. */
const wholeWithinMs = 15_000;
/** A connection that lasts this long shows that the service is healthy. */
const steadyMs = 30_000;
/** A client that sent requests too fast waits as long as after this many failures. */
const failuresOfHaste = 3;

type PagedWallet = RestData<"listWalletsV2">["wallets"][number];

type Ended = Extract<StreamStatus, { status: "waiting" }>["code"];

/** Follows channels across reconnections and keeps their state. */
export class Follower {
  readonly #deps: FollowerDeps;
  readonly #options: FollowOptions;
  /** Aborts when the current connection ends. */
  #life = new AbortController();
  #connection: Connection | undefined;
  #held: Held;
  #state: TerminalState | undefined;
  #failures = 0;
  /** Number of failed subscriptions of this connection. */
  #subscribeFailures = 0;
  /** Connection that is pausing before its next subscription. */
  #pausing: AbortSignal | undefined;
  #live = false;
  /** True if a new token has followed a refused one, and the service has not accepted a connection since. */
  #isRenewed = false;
  #closed = false;
  /** Ends the pause before the next connection. Undefined if there is no pause. */
  #cancelWait: (() => void) | undefined;
  #cancelSteady = () => {};
  readonly #forgetPage: () => void;
  /** Connection for which the list of wallets is being read. */
  #readingWallets: AbortSignal | undefined;
  /** Pending calls of `until`, which check each new state of the stream. */
  readonly #checks = new Set<(state: TerminalState) => void>();
  #rejectWaits: (error: Error) => void = () => {};
  /** Rejects when the stream is closed. */
  readonly #closing = new Promise<never>((_, reject) => {
    this.#rejectWaits = reject;
  });

  constructor(deps: FollowerDeps, options: FollowOptions) {
    this.#deps = deps;
    this.#options = options;
    this.#closing.catch(() => {});
    const held = newlyHeld(options.channels);
    this.#held = { ...held, markets: withTokens(held.markets, options.tokens ?? []) };
    this.#forgetPage = onReturn(() => this.#return());
    // Connects after the constructor returns, because callbacks may use the stream.
    queueMicrotask(() => void this.#connect());
  }

  get state(): TerminalState | undefined {
    return this.#state;
  }

  until<Found>(
    find: (state: TerminalState) => Found | undefined | null | false,
    wanted: WaitLimits = {},
  ): Promise<Found> {
    let check = (_: TerminalState) => {};
    const found = new Promise<Found>((resolve, reject) => {
      check = (state) => {
        try {
          const result = find(state);
          if (result === undefined || result === null || result === false) return;
          resolve(result);
        } catch (error) {
          reject(error);
        }
        this.#checks.delete(check);
      };
      this.#checks.add(check);
      if (this.#state !== undefined && !wanted.signal?.aborted) check(this.#state);
    });
    const first = Promise.race([this.#closing, found]);
    return limited(this.#deps.clock, wanted, first).finally(() => this.#checks.delete(check));
  }

  addTokens(tokens: readonly FollowedToken[]): void {
    expectPrices(this.#options.channels);
    this.#held = { ...this.#held, markets: withTokens(this.#held.markets, tokens) };
    this.#subscribeTo(["prices"], tokens);
  }

  removeTokens(tokens: readonly TokenName[]): void {
    this.#show({ ...this.#held, markets: withoutTokens(this.#held.markets, tokens) });
    this.#connection?.send({ type: "unsubscribe", tokens });
  }

  reconnect(): void {
    this.#leave();
    this.#stopWaiting();
    void this.#connect();
  }

  /** Ends the pause before the next connection. If a connection is open, checks that it still works. */
  #return(): void {
    if (this.#stopWaiting()) void this.#connect();
    else this.#connection?.probe();
  }

  /** Returns true if a pause was ended. */
  #stopWaiting(): boolean {
    const cancel = this.#cancelWait;
    this.#cancelWait = undefined;
    cancel?.();
    return cancel !== undefined;
  }

  /** Closes the stream, because the caller wants to or because of an error that would only occur again. */
  close(error?: AnyError): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#forgetPage();
    this.#stopWaiting();
    this.#leave();
    this.#checks.clear();
    this.#rejectWaits(new Error(error?.message ?? "The stream is closed", { cause: error }));
    this.#report({ status: "closed", ...(error && { error }) });
  }

  async #connect(): Promise<void> {
    if (this.#closed) return;
    this.#life = new AbortController();
    const { signal } = this.#life;
    const { tokens, clock, WebSocket, streamUrl: url } = this.#deps;
    this.#report({ status: "connecting" });
    const token = await tokens.current(purpose).catch((cause: unknown) => ({ cause }));
    if (signal.aborted) return;
    if (typeof token === "object")
      return tokens.explain ? this.close(tokenError(token.cause)) : this.#wait("TOKEN_ERROR");
    const protocols = token === undefined ? [] : ["access_token", token];
    const { quietMs } = this.#options;
    try {
      this.#connection = new Connection({ WebSocket, url, protocols, quietMs }, clock, {
        onOpen: () => this.#sync(signal),
        onMessage: (message) => this.#take(message, signal),
        onEnd: ({ code, opened }) => (opened ? this.#end(code) : void this.#refused(token)),
      });
    } catch {
      this.#end("REFUSED");
    }
  }

  /**
   * Browsers hide why a handshake was refused. A REST request finds out the reason, and also renews an expired token.
   */
  async #refused(token: string | undefined): Promise<void> {
    this.#leave();
    this.#life = new AbortController();
    const { signal } = this.#life;
    const { tokens, calls } = this.#deps;
    const { error } = await calls.getUserData({ patienceMs: 0, signal });
    if (tokens.explain && !signal.aborted)
      return /^(KEY|CLOCK|SCOPE)_/.test(error?.code ?? "") ? this.close(error) : this.#wait("REFUSED");
    // After the issuer has changed its keys, the service cannot tell that a token has expired.
    if (error?.status === 401 && !signal.aborted) await tokens.doubt(token);
    const next = await tokens.current(purpose).catch(() => token);
    if (signal.aborted) return;
    // Connects without a long pause, because the next token might expire during it, and at once for the first such token.
    if (next !== token) {
      this.#failures = 0;
      if (!this.#isRenewed) {
        this.#isRenewed = true;
        return this.#connect();
      }
    }
    this.#wait(error?.status === 401 && next === token ? "UNAUTHORIZED" : "REFUSED");
  }

  #end(code: Ended): void {
    this.#leave();
    this.#wait(code);
  }

  #leave(): void {
    this.#life.abort();
    this.#connection?.close();
    this.#connection = undefined;
    this.#live = false;
    this.#cancelSteady();
  }

  #wait(code: Ended): void {
    const retryInMs = backoffMs(this.#deps.clock, this.#failures++, reconnectMs);
    this.#cancelWait = this.#deps.clock.after(retryInMs, () => {
      this.#cancelWait = undefined;
      void this.#connect();
    });
    this.#report({ status: "waiting", retryInMs, code });
  }

  #sync(signal: AbortSignal): void {
    this.#deps.tokens.trust();
    this.#isRenewed = false;
    this.#held = newlyHeld(this.#options.channels, this.#held);
    this.#subscribeFailures = 0;
    this.#report({ status: "syncing" });
    if (signal.aborted) return;
    // A stream without channels has its complete state at once.
    this.#show(this.#held);
    void this.#subscribe(signal);
    if (this.#held.followed.has("settings")) void this.#readSettings(signal);
    if (this.#held.followed.has("wallets")) void this.#readWallets(signal);
  }

  /** Subscribes, and repeats this once if no snapshot arrives. If none arrives then either, reconnects. */
  async #subscribe(signal: AbortSignal): Promise<void> {
    for (let times = 0; times < 2 && !signal.aborted && this.#ask(); times++)
      await pause(this.#deps.clock, wholeWithinMs, signal);
    if (!signal.aborted && this.#awaited().length > 0) this.#end("SILENT");
  }

  #awaited(): string[] {
    return channels.filter((channel) => this.#held.awaited.has(channel));
  }

  /** Subscribes to channels whose snapshots are incomplete. Returns false if there are none. */
  #ask(): boolean {
    const awaited = this.#awaited();
    if (awaited.length > 0) this.#subscribeTo(awaited, [...this.#held.markets.tokens.values()]);
    return awaited.length > 0;
  }

  /** Leaves out absent options, because the service sends prices differently if tokens or a pace are given. */
  #subscribeTo(names: readonly string[], tokens: readonly FollowedToken[]): void {
    const { every } = this.#options;
    const more = names.includes("prices") && {
      ...(tokens.length > 0 && { tokens }),
      ...(every !== undefined && { every }),
    };
    this.#connection?.send({ type: "subscribe", channels: names, ...more });
  }

  async #readSettings(signal: AbortSignal): Promise<void> {
    const { calls } = this.#deps;
    const read = settingsChains.map((chain) =>
      this.#read(signal, async () => {
        const { data } = await calls.getTradingSettings({ path: { chain }, signal });
        if (data === undefined || signal.aborted) return false;
        this.#show(withSettings(this.#held, data));
        return true;
      }),
    );
    await Promise.all(read);
    if (!signal.aborted) this.#show(complete(this.#held, "settings"));
  }

  /** Reads the list of wallets, and repeats this as long as messages name wallets that the list may lack. */
  async #readWallets(signal: AbortSignal): Promise<void> {
    if (this.#readingWallets === signal) return;
    this.#readingWallets = signal;
    await this.#read(signal, async () => {
      this.#held = askingForWallets(this.#held);
      const wallets = await this.#listWallets(signal);
      if (wallets === undefined || signal.aborted) return false;
      this.#show(withWalletList(this.#held, wallets));
      return !this.#held.walletsBehind;
    });
    if (this.#readingWallets === signal) this.#readingWallets = undefined;
  }

  /** Reads the list in pages, because only a paged list has versions. */
  async #listWallets(signal: AbortSignal): Promise<PagedWallet[] | undefined> {
    const wallets: PagedWallet[] = [];
    for await (const { data } of this.#deps.pages("listWalletsV2", { query: { limit: 100 }, signal })) {
      if (data === undefined) return undefined;
      wallets.push(...data.wallets);
    }
    return wallets;
  }

  /** Repeats a request until it succeeds or the connection ends. */
  async #read(signal: AbortSignal, once: () => Promise<boolean>): Promise<void> {
    const { clock } = this.#deps;
    for (let failures = 0; !signal.aborted && !(await once()); failures++)
      await pause(clock, backoffMs(clock, failures, readAgainMs), signal);
  }

  #take(message: ServerMessage, signal: AbortSignal): void {
    callBack(() => this.#options.onMessage?.(message));
    if (message.type === "error") this.#takeError(message.code, signal);
    if (signal.aborted) return;
    this.#show(withMessage(this.#held, message));
    if (this.#held.walletsBehind) void this.#readWallets(signal);
  }

  #takeError(code: string, signal: AbortSignal): void {
    if (signal.aborted) return;
    if (code === "NOT_CONNECTED") this.#end("CLOSED");
    if (code === "INTERNAL_ERROR") void this.#askLater(signal);
    if (code !== "RATE_LIMITED") return;
    // The service closes the connection after this error.
    this.#failures += failuresOfHaste;
    this.#cancelSteady();
  }

  /** Subscribes after a pause that grows with each failure. */
  async #askLater(signal: AbortSignal): Promise<void> {
    if (this.#pausing === signal) return;
    this.#pausing = signal;
    const { clock } = this.#deps;
    await pause(clock, backoffMs(clock, ++this.#subscribeFailures, readAgainMs), signal);
    if (this.#pausing === signal) this.#pausing = undefined;
    if (signal.aborted || this.#ask()) return;
    const tokens = [...this.#held.markets.tokens.values()];
    if (tokens.length > 0) this.#subscribeTo(["prices"], tokens);
  }

  #show(held: Held): void {
    this.#held = held;
    const { signal } = this.#life;
    const state = stateOf(held);
    if (state === undefined) return;
    const wasLive = this.#live;
    if (wasLive && this.#state !== undefined && withParts(this.#state, state) === this.#state) return;
    this.#state = state;
    if (!wasLive) this.#becomeLive();
    // Any callback may close the stream.
    if (!signal.aborted) callBack(() => this.#options.onState?.(state));
    // Each callback may close the stream.
    for (const check of [...this.#checks]) if (this.#checks.has(check)) check(state);
  }

  #becomeLive(): void {
    this.#live = true;
    this.#cancelSteady = this.#deps.clock.after(steadyMs, () => {
      this.#failures = 0;
    });
    this.#report({ status: "live" });
  }

  #report(status: StreamStatus): void {
    callBack(() => this.#options.onStatus?.(status));
  }
}

/**
 * Checks that the channel `prices` is followed.
 * @throws {TypeError} if it is not
 */
export function expectPrices(followed: readonly string[]): void {
  if (!followed.includes("prices")) throw new TypeError("tokens and every need the channel prices");
}
