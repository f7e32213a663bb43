import type { TokenProvider } from "trading-terminal-client";
import type { Store } from "../stores.ts";
import { SignInError } from "./config.ts";
import type { Attempt, Grant, Issuer } from "./issuer.ts";

/** Messages between the tabs of a browser. */
type Message =
  /** An answer of the issuer, for the tab that began the sign-in. */
  | { type: "answer"; answer: string }
  | { type: "taken"; state: string }
  | { type: "signed-out"; user: string };

type Channel = {
  postMessage(message: Message): void;
  addEventListener(type: "message", hear: (event: { data: Message }) => void): void;
};

type AccountDeps = {
  issuer: Issuer;
  /** Store of the tab. It keeps the refresh token and a sign-in that has begun. */
  tab: Store;
  /** Store of the browser. It keeps when each user signed out, for tabs that slept meanwhile. */
  browser: Store;
  /** Undefined if the browser has none. */
  channel: Channel | undefined;
  nowMs?: () => number;
};

type AccountEvents = {
  /** Called when another tab has brought the answer to a sign-in of this tab. The problem is a sentence. */
  answered(problem?: string): void;
  /** Called when the page must end what it shows of the user, with the reason as a sentence. */
  ended(reason: string): void;
  /** Called when the user must sign in again to continue. */
  expired(): void;
};

/** Time in milliseconds for another tab to take an answer. */
const handOverMs = 1000;

const attemptName = "sign-in";
const refreshName = "refresh-token";
const signedOutName = (user: string) => `signed-out ${user}`;

type Kept = { token: string; user: string; signedInMs: number };

/** The sign-in of this tab. Access tokens stay in its memory. */
export class Account {
  readonly events: AccountEvents = { answered() {}, ended() {}, expired() {} };
  readonly #deps: AccountDeps;
  #attempt: Attempt | undefined;
  #grant: Grant | undefined;
  #renewal: Promise<Grant> | undefined;

  constructor(deps: AccountDeps) {
    this.#deps = deps;
    deps.channel?.addEventListener("message", ({ data }) => this.#hear(data));
  }

  get user(): string | undefined {
    return this.#grant?.user;
  }

  /** True if a reload of the page ends the sign-in. */
  get isFleeting(): boolean {
    return this.#deps.tab.isBlocked;
  }

  /** Provides a client with access tokens of this user only, so that no request is sent for another user. */
  tokenFor(user: string): TokenProvider {
    return async ({ refresh }) => {
      const grant = refresh || this.#grant === undefined ? await this.#renewed() : this.#grant;
      if (grant.user !== user) throw new SignInError("otherUser", "Somebody else has signed in.");
      return grant.accessToken;
    };
  }

  /** Begins a sign-in, and returns the address of the issuer's page for it. */
  async begin(returnTo: string, again = false): Promise<string> {
    const { url, attempt } = await this.#deps.issuer.begin(returnTo, again);
    this.#attempt = attempt;
    this.#deps.tab.set(attemptName, JSON.stringify(attempt));
    return url;
  }

  /**
   * Ends a sign-in of this tab by the issuer's answer. Returns the sign-in, or undefined if this tab did not begin it.
   *
   * @throws {SignInError}
   */
  async finish(answer: URLSearchParams): Promise<Attempt | undefined> {
    const { tab, issuer } = this.#deps;
    const kept = tab.get(attemptName);
    const attempt = this.#attempt ?? (kept === undefined ? undefined : (JSON.parse(kept) as Attempt));
    if (attempt === undefined || answer.get("state") !== attempt.state) return undefined;
    this.#attempt = undefined;
    tab.remove(attemptName);
    this.#accept(await issuer.finish(attempt, answer), this.#nowMs());
    return attempt;
  }

  /** Gives an answer to the tab that began the sign-in. Returns false if there is none. */
  handOver(answer: URLSearchParams): Promise<boolean> {
    const { channel } = this.#deps;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    channel?.addEventListener("message", ({ data }) => {
      if (data.type === "taken" && data.state === answer.get("state")) resolve(true);
    });
    this.#tell({ type: "answer", answer: answer.toString() });
    setTimeout(resolve, channel === undefined ? 0 : handOverMs, false);
    return promise;
  }

  /**
   * Continues the sign-in that the tab had before a reload. Returns false if there is none.
   *
   * @throws {SignInError}
   */
  async resume(): Promise<boolean> {
    if (this.#kept() === undefined) return false;
    try {
      await this.#renewed();
      return true;
    } catch (error) {
      if (error instanceof SignInError && error.reason === "over") return false;
      throw error;
    }
  }

  /** Signs out in all tabs. Returns the address that signs out at the issuer, if it has one. */
  async signOut(): Promise<string | undefined> {
    const { issuer, browser } = this.#deps;
    const { user = "", idToken } = this.#grant ?? {};
    browser.set(signedOutName(user), String(this.#nowMs()));
    this.#tell({ type: "signed-out", user });
    await this.#forget();
    return issuer.signOutUrl(idToken).catch(() => undefined);
  }

  #nowMs = () => (this.#deps.nowMs ?? Date.now)();

  #tell(message: Message): void {
    this.#deps.channel?.postMessage(message);
  }

  #hear(message: Message): void {
    if (message.type === "signed-out" && message.user === this.user) {
      void this.#forget();
      this.events.ended("You signed out in another tab.");
    }
    if (message.type !== "answer") return;
    const answer = new URLSearchParams(message.answer);
    const state = answer.get("state");
    if (state === null || state !== this.#attempt?.state) return;
    this.#tell({ type: "taken", state });
    this.finish(answer).then(
      () => this.events.answered(),
      (error: Error) => this.events.answered(error.message),
    );
  }

  #accept(grant: Grant, signedInMs: number): void {
    const { tab } = this.#deps;
    this.#grant = grant;
    const { refreshToken, user } = grant;
    if (refreshToken === undefined) tab.remove(refreshName);
    else tab.set(refreshName, JSON.stringify({ token: refreshToken, user, signedInMs } satisfies Kept));
  }

  /** Reads the refresh token, unless its user has signed out in another tab since. */
  #kept(): Kept | undefined {
    const { tab, browser } = this.#deps;
    const text = tab.get(refreshName);
    if (text === undefined) return undefined;
    const kept = JSON.parse(text) as Kept;
    if (Number(browser.get(signedOutName(kept.user)) ?? 0) < kept.signedInMs) return kept;
    void this.#forget();
    return undefined;
  }

  /** Renews the tokens once, even if several calls need that. */
  #renewed(): Promise<Grant> {
    this.#renewal ??= this.#renew().finally(() => {
      this.#renewal = undefined;
    });
    return this.#renewal;
  }

  async #renew(): Promise<Grant> {
    const kept = this.#kept();
    try {
      if (kept === undefined) throw new SignInError("over", "Your sign-in has ended. Sign in once more.");
      const grant = await this.#deps.issuer.renew(kept.token);
      // The user has signed out or in meanwhile, so nobody may use this grant.
      if (this.#deps.tab.get(refreshName) !== JSON.stringify(kept)) {
        if (this.#grant !== undefined) return this.#grant;
        throw new SignInError("over", "You signed out.");
      }
      if (grant.user !== kept.user) {
        const reason = "The sign-in service answered for another user, so this page signed out.";
        await this.#forget();
        this.events.ended(reason);
        throw new SignInError("otherUser", reason);
      }
      this.#accept(grant, kept.signedInMs);
      return grant;
    } catch (error) {
      if (error instanceof SignInError && error.reason === "over") {
        this.#deps.tab.remove(refreshName);
        this.events.expired();
      }
      throw error;
    }
  }

  /** Forgets the tokens, and makes the refresh token worthless. */
  async #forget(): Promise<void> {
    const { tab, issuer } = this.#deps;
    const text = tab.get(refreshName);
    tab.remove(refreshName);
    this.#grant = undefined;
    // Signs out even if the issuer is down.
    if (text !== undefined) await issuer.revoke((JSON.parse(text) as Kept).token).catch(() => {});
  }
}
