import { describe, expect, it, onTestFinished } from "vitest";
import { Account } from "../../../lib/console/app/sign-in/account.ts";
import { openIssuer } from "../../../lib/console/app/sign-in/issuer.ts";
import { openStore } from "../../../lib/console/app/stores.ts";
import { config, localIssuer, pageUrl, withFields } from "../support/local-issuer.ts";

const newStore = () =>
  openStore(() => {
    throw new DOMException("The user blocks it", "SecurityError");
  });

/** The part of a channel that the account uses, whose types Node lacks. */
type Channel = NonNullable<ConstructorParameters<typeof Account>[0]["channel"]>;

let channels = 0;

/** A browser whose tabs share a store and a channel. */
function newBrowser(change?: Parameters<typeof localIssuer>[0]) {
  const local = localIssuer(change);
  const browser = newStore();
  const name = `sign-in-${++channels}`;
  let nowMs = 1_000_000;
  /** Opens a page, in a new tab unless a tab's store is given. */
  function open(tab = newStore()) {
    const channel = new BroadcastChannel(name);
    onTestFinished(() => channel.close());
    const issuer = openIssuer(config, { pageUrl, fetch: local.fetch });
    const account = new Account({
      issuer,
      tab,
      browser,
      channel: channel as unknown as Channel,
      nowMs: () => nowMs,
    });
    const events: string[] = [];
    account.events.answered = (problem) => events.push(`answered ${problem ?? "well"}`);
    account.events.ended = (reason) => events.push(`ended ${reason}`);
    account.events.expired = () => events.push("expired");
    return { account, tab, events };
  }
  return {
    ...local,
    open,
    wait(ms: number) {
      nowMs += ms;
    },
    async signedIn(user: string, tab?: ReturnType<typeof newStore>) {
      const opened = open(tab);
      const url = await opened.account.begin("/console/");
      await opened.account.finish(await local.signIn(url, user));
      return opened;
    },
  };
}

const contentOf = (store: ReturnType<typeof newStore>) =>
  store
    .names()
    .map((name) => store.get(name))
    .join();

describe("a tab's sign-in", () => {
  it("continues after the page of the issuer, once, and keeps only the refresh token", async () => {
    const { open, signIn } = newBrowser();
    const { account, tab } = open();
    const answer = await signIn(await account.begin("/console/?chain=base"), "alice");
    const returned = open(tab);
    expect(await returned.account.finish(answer)).toMatchObject({ returnTo: "/console/?chain=base" });
    const token = await returned.account.tokenFor("alice")({ refresh: false });
    expect(returned.account.user).toBe("alice");
    expect(tab.names()).toEqual(["refresh-token"]);
    expect(contentOf(tab)).not.toContain(token);

    // A copy of the address, from the history for example, does nothing.
    expect(await open(tab).account.finish(answer)).toBeUndefined();
    expect(await returned.account.finish(answer)).toBeUndefined();
  });

  it("refuses an answer with a forged state, and stays ready for its own", async () => {
    const { open, signIn } = newBrowser();
    const { account } = open();
    const url = await account.begin("/console/");
    const forged = await signIn(await open().account.begin("/"), "mallory");
    expect(await account.finish(forged)).toBeUndefined();
    expect(await account.finish(await signIn(url, "alice"))).toBeDefined();
    expect(account.user).toBe("alice");
  });

  it("needs a new attempt after a refusal", async () => {
    const { open, signIn } = newBrowser();
    const { account } = open();
    const answer = await signIn(await account.begin("/"), undefined);
    await expect(account.finish(answer)).rejects.toThrow("cancelled or refused");
    expect(await account.finish(answer)).toBeUndefined();
    expect(account.user).toBeUndefined();
  });

  it("survives a reload, and ends when the issuer says so", async () => {
    const { open, signedIn, fetch } = newBrowser();
    const { tab } = await signedIn("alice");
    const { account } = open(tab);
    expect(await account.resume()).toBe(true);
    expect(account.user).toBe("alice");
    const { token } = JSON.parse(tab.get("refresh-token") ?? "") as { token: string };
    const body = new URLSearchParams({ client_id: config.clientId, token });
    await fetch(`${config.issuer}/revoke`, { method: "POST", body });
    expect(await open(tab).account.resume()).toBe(false);
    expect(tab.names()).toEqual([]);
  });

  it("keeps its refresh token while the issuer is down", async () => {
    let isDown = false;
    const { open, signedIn } = newBrowser((_, answer) =>
      isDown ? new Response("", { status: 503 }) : answer,
    );
    const { tab } = await signedIn("alice");
    isDown = true;
    await expect(open(tab).account.resume()).rejects.toThrow("does not answer");
    isDown = false;
    expect(await open(tab).account.resume()).toBe(true);
  });

  it("renews the access token once for many requests", async () => {
    const { signedIn, asked } = newBrowser();
    const { account } = await signedIn("alice");
    const before = await account.tokenFor("alice")({ refresh: false });
    asked.length = 0;
    const renewed = await Promise.all([
      account.tokenFor("alice")({ refresh: true }),
      account.tokenFor("alice")({ refresh: true }),
    ]);
    expect(asked).toEqual(["/oauth/token"]);
    expect(new Set(renewed).size).toBe(1);
    expect(renewed[0]).not.toBe(before);
    expect(await account.tokenFor("alice")({ refresh: false })).toBe(renewed[0]);
  });

  it("asks the user to sign in again when nothing renews the token", async () => {
    const { signedIn } = newBrowser();
    const { account, tab, events } = await signedIn("alice");
    tab.remove("refresh-token");
    await expect(account.tokenFor("alice")({ refresh: true })).rejects.toThrow("Your sign-in has ended");
    expect(events).toEqual(["expired"]);
  });

  it("ends if a renewal returns another user, whose token nobody gets", async () => {
    const mallory = `e30.${Buffer.from('{"sub":"mallory"}').toString("base64url")}.e30`;
    let isMixed = false;
    const { signedIn } = newBrowser((url, answer) =>
      isMixed && url.pathname.endsWith("/token") ? withFields(answer, { access_token: mallory }) : answer,
    );
    const { account, tab, events } = await signedIn("alice");
    isMixed = true;
    await expect(account.tokenFor("alice")({ refresh: true })).rejects.toThrow("another user");
    expect(events).toEqual(["ended The sign-in service answered for another user, so this page signed out."]);
    expect([tab.names(), account.user]).toEqual([[], undefined]);
    await expect(account.tokenFor("alice")({ refresh: false })).rejects.toThrow("Your sign-in has ended");
  });

  it("gives nobody else's token to the requests of a user", async () => {
    const { signedIn, signIn } = newBrowser();
    const { account } = await signedIn("alice");
    const token = account.tokenFor("alice");
    await account.finish(await signIn(await account.begin("/", true), "bob"));
    for (const refresh of [false, true])
      await expect(token({ refresh })).rejects.toThrow("Somebody else has signed in");
    expect(await account.tokenFor("bob")({ refresh: false })).toMatch(/^eyJ/);
  });

  it("works for the visit if the browser keeps nothing", async () => {
    const { open, signIn } = newBrowser();
    const { account } = open();
    expect(account.isFleeting).toBe(true);
    await account.finish(await signIn(await account.begin("/"), "alice"));
    expect(await account.tokenFor("alice")({ refresh: true })).toMatch(/^eyJ/);
    expect(await open().account.resume()).toBe(false);
  });
});

describe("two tabs", () => {
  it("hand the issuer's answer to the tab that began", async () => {
    const { open, signIn } = newBrowser();
    const [began, returned] = [open(), open()];
    const answer = await signIn(await began.account.begin("/", true), "alice");
    expect(await returned.account.finish(answer)).toBeUndefined();
    expect(await returned.account.handOver(answer)).toBe(true);
    await expect.poll(() => began.events).toEqual(["answered well"]);
    expect([began.account.user, returned.account.user]).toEqual(["alice", undefined]);
  });

  it("tell the first tab what went wrong in the other", async () => {
    const { open, signIn } = newBrowser();
    const [began, returned] = [open(), open()];
    const answer = await signIn(await began.account.begin("/", true), undefined);
    expect(await returned.account.handOver(answer)).toBe(true);
    await expect.poll(() => began.events).toEqual([expect.stringContaining("cancelled or refused")]);
  });

  it("leave an answer that no tab has asked for", async () => {
    const { open } = newBrowser();
    const [one, other] = [open(), open()];
    await one.account.begin("/");
    const forged = new URLSearchParams({ code: "x", state: "forged" });
    expect(await other.account.handOver(forged)).toBe(false);
    expect(one.events).toEqual([]);
  });

  it("sign out together, but only tabs of the same user", async () => {
    const { signedIn, asked } = newBrowser();
    const [one, other, stranger] = [await signedIn("alice"), await signedIn("alice"), await signedIn("bob")];
    asked.length = 0;
    expect(await one.account.signOut()).toContain("/logout?");
    await expect.poll(() => other.events).toEqual(["ended You signed out in another tab."]);
    await expect.poll(() => asked).toEqual(["/revoke", "/revoke"]);
    expect([one.tab.names(), other.tab.names(), stranger.tab.names()]).toEqual([[], [], ["refresh-token"]]);
    expect(stranger.events).toEqual([]);
    await expect(other.account.tokenFor("alice")({ refresh: false })).rejects.toThrow(
      "Your sign-in has ended",
    );
  });

  it("stay signed out if one of them slept meanwhile, until the user signs in again", async () => {
    const { open, signedIn, wait } = newBrowser();
    const awake = await signedIn("alice");
    const { tab } = await signedIn("alice");
    wait(1000);
    await awake.account.signOut();
    expect(await open(tab).account.resume()).toBe(false);
    wait(1000);
    await signedIn("alice", tab);
    expect(await open(tab).account.resume()).toBe(true);
  });
});

it("signs out even if the issuer is down or a renewal is under way", async () => {
  let isDown = false;
  const { signedIn } = newBrowser((_, answer) => (isDown ? new Response("", { status: 503 }) : answer));
  const { account, tab } = await signedIn("alice");
  const renewing = account.tokenFor("alice")({ refresh: true });
  isDown = true;
  await account.signOut();
  await expect(renewing).rejects.toThrow();
  expect([account.user, tab.names()]).toEqual([undefined, []]);
});

it("gives the token of a new sign-in to a request whose renewal began before it", async () => {
  const held = Promise.withResolvers<void>();
  let isHeld = false;
  const { signedIn, signIn, wait } = newBrowser(async ({ pathname }, answer) => {
    if (!isHeld || !pathname.endsWith("/oauth/token")) return answer;
    isHeld = false;
    await held.promise;
    return answer;
  });
  const { account, events } = await signedIn("alice");
  isHeld = true;
  const renewing = account.tokenFor("alice")({ refresh: true });
  wait(1000);
  await account.signOut();
  wait(1000);
  await account.finish(await signIn(await account.begin("/console/"), "alice"));
  held.resolve();
  expect(await renewing).toBe(await account.tokenFor("alice")({ refresh: false }));
  expect(events).toEqual([]);
});
