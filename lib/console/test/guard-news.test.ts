import type { ServerMessage } from "trading-terminal-client";
import { describe, expect, it } from "vitest";
import { type GuardNews, guardText, withGuardNews } from "../app/wallets/guard-news.ts";

const time = "2026-11-21T20:00:00.000Z";
const at = "2026-11-22T20:00:00.000Z";
const policy = { tokens: "any", tradingEnabled: true } as const;
const pending = { policy, effectiveAt: at };

type PolicyData = Extract<ServerMessage, { type: "WalletPolicyUpdated" }>["data"];
const policyChanged = (version: number, change: PolicyData["change"], more: Partial<PolicyData> = {}) =>
  ({
    type: "WalletPolicyUpdated",
    time,
    data: { walletId: "w", policy, change, version, ...more },
  }) satisfies ServerMessage;

const exportAsked = (walletId: string): ServerMessage => ({
  type: "WalletExportRequested",
  time,
  data: { walletId, availableAt: at, thumbprint: "t".repeat(43), version: 1 },
});

const lock = (data: { status: "locked" | "unlocking" | "unlocked"; unlocksAt?: string }): ServerMessage => ({
  type: "ExportLockUpdated",
  time,
  data,
});

const keyMade = (keyId: string, terms: { maxPerDay?: `${number}` } = {}) =>
  ({
    type: "ProgramKeyAdded",
    time,
    data: {
      key: {
        keyId,
        name: "Bot",
        scopes: ["read", "trade"],
        publicKey: "",
        createdAt: time,
        expiresAt: at,
        ...terms,
      },
    },
  }) satisfies ServerMessage;
const keyRevoked = (keyId: string): ServerMessage => {
  const { data } = keyMade(keyId);
  return { type: "ProgramKeyRevoked", time, data: { key: { ...data.key, revokedAt: time } } };
};

const newsAfter = (...messages: ServerMessage[]) =>
  messages
    .reduce(withGuardNews, [] as readonly GuardNews[])
    .flatMap(({ of, at: from, isOver }) => (isOver ? [] : [[of, from]]));

describe("withGuardNews", () => {
  it("reports looser limits when they are requested and when they take effect, until they are withdrawn", () => {
    const asked = policyChanged(2, "announced", { pending });
    expect(newsAfter(asked)).toEqual([["policy", at]]);
    expect(newsAfter(asked, policyChanged(3, "loosened"))).toEqual([["policy", undefined]]);
    expect(newsAfter(asked, policyChanged(3, "tightened"))).toEqual([]);
    expect(newsAfter(asked, policyChanged(3, "tightened", { pending }))).toEqual([["policy", at]]);
    expect(newsAfter(policyChanged(3, "loosened"), asked)).toEqual([["policy", undefined]]);
    expect(newsAfter(policyChanged(3, "tightened"), asked)).toEqual([]);
  });

  it("reports the export of each wallet, but none once exports are locked", () => {
    expect(newsAfter(exportAsked("w"), exportAsked("x"))).toHaveLength(2);
    expect(newsAfter(exportAsked("w"), exportAsked("x"), lock({ status: "locked" }))).toEqual([]);
  });

  it("reports an unlocking when it is requested and when it takes effect, until exports are locked again", () => {
    const unlocking = lock({ status: "unlocking", unlocksAt: at });
    expect(newsAfter(unlocking)).toEqual([["lock", at]]);
    expect(newsAfter(unlocking, lock({ status: "unlocked" }))).toEqual([["lock", undefined]]);
    expect(newsAfter(unlocking, lock({ status: "locked" }))).toEqual([]);
  });

  it("reports each program key until it is revoked, in whatever order the messages arrive", () => {
    const added = [keyMade("pk_1"), keyMade("pk_2")];
    expect(newsAfter(...added)).toHaveLength(2);
    expect(newsAfter(...added, keyRevoked("pk_1"))).toHaveLength(1);
    expect(newsAfter(keyRevoked("pk_1"), ...added)).toHaveLength(1);
  });

  it("announces a program key again if its terms change, so that a dismissed notice hides no wider key", () => {
    const idAfter = (...messages: ServerMessage[]) =>
      messages.reduce(withGuardNews, [] as readonly GuardNews[]).map(({ id }) => id);
    const [made, wider] = [keyMade("pk_1", { maxPerDay: "1" }), keyMade("pk_1")];
    const { key } = made.data;
    const again = {
      ...made,
      data: { key: Object.fromEntries(Object.entries(key).toReversed()) as typeof key },
    };
    expect(idAfter(made, again)).toEqual(idAfter(made));
    expect(idAfter(made, wider)).toHaveLength(1);
    expect(idAfter(made, wider)).not.toEqual(idAfter(made));
  });

  it("keeps the news when the service repeats an announcement, so that dismissed news stays hidden", () => {
    const messages = [policyChanged(2, "announced", { pending }), exportAsked("w")];
    const news = messages.reduce(withGuardNews, [] as readonly GuardNews[]);
    expect(messages.reduce(withGuardNews, news)).toBe(news);
    expect(messages.reduce(withGuardNews, [] as readonly GuardNews[])).toEqual(news);
  });

  it("ignores messages that are not about guards", () => {
    const news = withGuardNews([], exportAsked("w"));
    expect(withGuardNews(news, { type: "pong", time })).toBe(news);
  });
});

const main = { slotName: "Main", network: "bsc" } as const;

describe("guardText", () => {
  it.each<[GuardNews["of"], string | undefined, RegExp]>([
    ["export", at, /^An export of the private key of Main was requested\. .* 22 Nov/],
    ["lock", at, /^Unlocking of exports was requested\. They unlock at 22 Nov/],
    ["lock", undefined, /^Exports are no longer locked\.$/],
    ["policy", at, /^Looser limits for Main were requested\. They apply from 22 Nov/],
    ["policy", undefined, /^Looser limits for Main are in force\.$/],
  ])("describes the change of the %s with the time %s", (of, from, wanted) => {
    expect(guardText({ of, id: "", at: from }, main).what).toMatch(wanted);
  });

  it(`calls a retired wallet "a wallet" instead of by its name`, () => {
    expect(guardText({ of: "export", id: "", at }, undefined).what).toMatch(
      /^An export of the private key of a wallet/,
    );
  });

  const frozen = { tokens: "any", tradingEnabled: false } as const;
  const textAfter = (...messages: ServerMessage[]) => {
    const [news] = messages.reduce(withGuardNews, [] as readonly GuardNews[]);
    return news && guardText(news, main).what;
  };
  const asked = policyChanged(2, "announced", { policy: frozen, pending });
  const inForce = policyChanged(3, "loosened");

  it("names the looser limits, both when they are requested and when they take effect", () => {
    expect(textAfter(asked)).toMatch(
      /^Looser limits for Main were requested: the wallet may trade again\. They apply from 22 Nov/,
    );
    expect(textAfter(asked, inForce)).toBe(
      "Looser limits for Main are in force: the wallet may trade again.",
    );
    const dearer = { ...policy, maxNetworkFeesPerDay: "2" } as const;
    expect(textAfter(policyChanged(1, "tightened"), policyChanged(2, "loosened", { policy: dearer }))).toBe(
      "Looser limits for Main are in force: up to 2 BNB of network fees in a day.",
    );
  });

  it("says what a program may do by a new key", () => {
    expect(textAfter(keyMade("pk_1"))).toBe(
      "The program key Bot was made. Its program may read, trade as you.",
    );
  });

  it("names no limits if the previous policy is unknown", () => {
    for (const messages of [[inForce], [asked, policyChanged(4, "loosened")]])
      expect(textAfter(...messages)).toBe("Looser limits for Main are in force.");
  });

  it("offers a button wherever one request makes the guard tight again", () => {
    const offered = (of: GuardNews["of"], from?: string) => guardText({ of, id: "", at: from }, main).undo;
    expect([offered("export", at), offered("lock", at), offered("lock"), offered("policy", at)]).toEqual([
      "Cancel the export",
      "Lock exports again",
      "Lock exports again",
      "Keep the limits",
    ]);
    expect(offered("policy")).toBeUndefined();
  });
});
