import { randomBytes } from "node:crypto";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { abuse } from "../support/abuse.ts";
import { get, send } from "../support/client.ts";
import { endpoints } from "../support/endpoints.ts";
import { expectMessage, expectUnauthorized } from "../support/expectations.ts";
import { formsOf, newEvmKey, newSolanaKey } from "../../support/keys.ts";
import { type OwnRunner, startOwnRunner } from "../support/own-runner.ts";
import { versionOf } from "../support/settings-events.ts";
import { expectToWork, refusalOf, streamOf, subscribe } from "../support/stream.ts";
import { abuseStreams } from "../support/stream-abuse.ts";
import { error, subscriptions } from "../support/stream-shapes.ts";
import {
  importAll,
  importWallet,
  profileOf,
  referralsOf,
  settingsAfter,
  walletsOf,
} from "../support/terminal.ts";
import { forgeries } from "../support/tokens.ts";
import { partIn, stackTrace } from "../../support/traces.ts";
import { issueToken, newUser } from "../support/users.ts";

let runner: OwnRunner;

beforeAll(async () => {
  runner = await startOwnRunner();
});

afterAll(() => runner?.remove());

const isLog = (name: string) => name === "output" || name.endsWith(".log");

/** Milliseconds for the tests that do a great deal, or start the runner again. */
const patience = 180_000;

/** A word that stands nowhere else. */
const newWord = () => `word${randomBytes(12).toString("hex")}`;

describe("No secret is told or written down:", () => {
  test("a search finds one wherever it stands", () => {
    const key = newEvmKey();

    expect(partIn(`{"error":"0x${key.privateKey.slice(20, 40).toUpperCase()}"}`, formsOf(key))).toBeDefined();
    expect(partIn(`[${[...key.secret].join(",")}]`, formsOf(key))).toBeDefined();
    expect(partIn(`${key.secret.toJSON().data.join(", ")}`, formsOf(key))).toBeDefined();
    expect(partIn(key.secret.toString("base64"), formsOf(key))).toBeDefined();
    expect(partIn("nothing of the sort", formsOf(key))).toBeUndefined();
    expect("Error: no\n    at main (file.js:1:1)").toMatch(stackTrace);
  });

  test(
    "good and bad keys, tokens and messages leave no trace in answers, logs and files",
    async () => {
      const [evm, solana] = [newEvmKey(), newSolanaKey()];
      const halves = [newEvmKey().privateKey.slice(2, 62), newSolanaKey().privateKey.slice(0, 80)];
      const badKeys = [
        ...halves,
        newEvmKey().privateKey,
        newSolanaKey().privateKey,
        `${newEvmKey().privateKey}00`,
      ];
      const words = [newWord(), newWord()];
      const { id, token } = await newUser();
      const expired = await issueToken({ sub: id, expiresIn: -60 });
      const forged = await Promise.all(forgeries.slice(0, 8).map(([, forge]) => forge(token)));
      const badTokens = [expired, ...forged, newWord(), `${newWord()}.${newWord()}.${newWord()}`];
      const tokens = [token, ...badTokens];
      const sent = { keys: [evm, solana], badKeys, words, goodToken: token, badTokens };

      const answers = await abuse(sent);
      const streams = await abuseStreams(sent);

      const secrets = [
        ...[evm, solana].flatMap(formsOf),
        ...badKeys,
        ...words,
        // The first parts of the issuer's tokens begin alike, and one of these is printed on purpose.
        ...tokens.map((each) => each.slice(each.lastIndexOf(".") + 1)),
        ...tokens.filter((each) => each.startsWith("word")),
      ];
      expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
      expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(5);
      expect(answers.filter(({ status }) => status === 400).length).toBeGreaterThan(20);
      expect(answers.filter(({ status }) => status === 401).length).toBeGreaterThan(20);
      for (const { status } of streams.refusals) expect(status).toBe(401);
      expect(streams.messages.length).toBeGreaterThan(50);
      const headAndBody = [...answers, ...streams.refusals].map(
        (answer) => answer.text + JSON.stringify([...answer.headers]),
      );
      for (const told of [...headAndBody, ...streams.messages]) {
        expect(partIn(told, secrets)).toBeUndefined();
        expect(told).not.toMatch(stackTrace);
      }
      const written = await runner.everythingWritten();
      expect(written.map(([name]) => name)).toEqual(expect.arrayContaining(["output", "data/issuer.json"]));
      for (const [name, content] of written) {
        expect(partIn(content.toString("latin1"), secrets), name).toBeUndefined();
        for (const { secret } of [evm, solana]) expect(content.includes(secret), name).toBe(false);
        for (const each of tokens) expect(content.includes(each), name).toBe(false);
        if (isLog(name)) expect(content.toString(), name).not.toMatch(stackTrace);
      }
    },
    patience,
  );

  test("what the runner keeps is for its owner's eyes only", async () => {
    const files = await readdir(runner.dataDir, { recursive: true, withFileTypes: true });
    expect(files.length).toBeGreaterThan(3);
    for (const file of files.filter(({ parentPath }) => !parentPath.includes("cdk.out"))) {
      // Files come and go: each is written beside the old one, and then takes its place.
      const found = await stat(join(file.parentPath, file.name)).catch(() => undefined);
      expect((found?.mode ?? 0) & 0o077, file.name).toBe(0);
    }
  });
});

describe("While the table does not answer,", () => {
  test("every endpoint fails with 500, without a trace of what was sent, and works again after", async () => {
    const user = await newUser();
    const before = await profileOf(user);
    const key = newEvmKey();
    const requests = [
      () => importWallet(user, key),
      // An import is checked before the table is asked, so it takes a good one, as above.
      ...endpoints
        .filter(({ path }) => path !== "/storeWallet_v2")
        .map(
          ({ method, path, body }) =>
            () =>
              send(method, path, { token: user.token, body }),
        ),
    ];

    const answers = await runner.withoutDatabase(() => Promise.all(requests.map((ask) => ask())));

    for (const answer of answers) {
      expect(answer.status, answer.text).toBe(500);
      // The endpoint's own form, or the gateway's where the user was not remembered.
      expect(answer.text).toContain("Internal server error");
      expect(partIn(answer.text, [...formsOf(key), user.token])).toBeUndefined();
    }
    expect(await profileOf(user)).toStrictEqual(before);
    expect((await walletsOf(user)).length).toBeLessThanOrEqual(1);
    const logs = (await runner.everythingWritten()).filter(([name]) => isLog(name));
    expect(logs.filter(([, content]) => content.length > 0).length).toBeGreaterThan(1);
    for (const [name, content] of logs) {
      expect(
        partIn(content.toString(), [...formsOf(key), user.token.split(".")[2] ?? ""]),
        name,
      ).toBeUndefined();
      expect(content.toString(), name).not.toMatch(stackTrace);
    }
  });

  test("open connections are told so and go on, nobody new is let in, and afterwards all is well", async () => {
    const [user, late] = [await newUser(), await newUser()];
    const stream = await streamOf(user);
    await subscribe(stream, "orders");

    const [refused, problem, pong] = await runner.withoutDatabase(() =>
      Promise.all([
        refusalOf(late),
        stream.ask({ type: "subscribe", id: "c1", channels: ["positions"] }),
        stream.ask({ type: "ping", id: "p1" }),
      ]),
    );

    expect(refused.status, refused.text).toBe(500);
    expect(partIn(refused.text, [late.token])).toBeUndefined();
    expect(problem).toStrictEqual(error("INTERNAL_ERROR", { id: "c1" }));
    expect(pong).toMatchObject({ type: "pong" });
    await subscribe(stream, "positions");
    await settingsAfter(user, "eth", { slippage: 3 });
    await stream.take(versionOf("eth", 1));
    await expectToWork(await streamOf(late));
  });
});

test(
  "after a crash, and a start on the same data, everything is there and the tokens are good",
  async () => {
    const referrer = await newUser({ username: "Rita" });
    const user = await newUser({ username: "Uma", ref: (await profileOf(referrer)).refID });
    const expired = await issueToken({ sub: user.id, expiresIn: -60 });
    const keys = [newEvmKey(), newSolanaKey()];
    await importAll(user, keys);
    await settingsAfter(user, "sol", { slippage: 9, priorityFee: 0.25 });
    const state = async () => ({
      wallets: await walletsOf(user),
      profile: await profileOf(user),
      referrals: [await referralsOf(user), await referralsOf(referrer)],
      rewards: (await get("/api/waitlist/v2/rewards", user)).json,
    });
    const before = await state();
    const cutOff = [await streamOf(user), await streamOf(user)];
    for (const stream of cutOff) await subscribe(stream, "orders", "prices");

    await runner.crashAndStart();

    expect(await state()).toStrictEqual(before);
    expectUnauthorized(await get("/listWallets", { token: expired }), { expired: true });
    for (const key of keys) expectMessage(await importWallet(user, key), 200);
    expect(await walletsOf(user)).toStrictEqual(before.wallets);
    await importAll(user, [newEvmKey()]);
    expect(await walletsOf(user)).toHaveLength(3);
    expect(await profileOf(await newUser())).toMatchObject({ tier: "Base" });

    expect(await Promise.all(cutOff.map(({ closed }) => closed))).toEqual([1006, 1006]);
    const back = await streamOf(user);
    await settingsAfter(user, "sol", { autoBuy: true });
    expect(await back.take(versionOf("sol", 2))).toMatchObject({
      data: { settings: { slippage: 9, priorityFee: 0.25, autoBuy: true } },
    });
    expect(await back.ask({ type: "subscribe", id: "c1", channels: [] })).toStrictEqual(
      subscriptions([], { id: "c1" }),
    );
    expect(back.received.filter(({ type }) => type === "update")).toEqual([]);
    await subscribe(back, "prices");
    await back.take({ type: "update", channel: "prices" });
  },
  patience,
);
