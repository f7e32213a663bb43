import { randomBytes } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Answer, get, post, send, sendRaw } from "../support/client.ts";
import { talkTo } from "../support/deployment.ts";
import { endpoints } from "../support/endpoints.ts";
import { expectMessage, expectUnauthorized } from "../support/expectations.ts";
import { formsOf, type Key, newEvmKey, newSolanaKey } from "../support/keys.ts";
import { type Runner, startRunner } from "../support/runner.ts";
import { text } from "../support/shapes.ts";
import {
  importAll,
  importWallet,
  profileOf,
  referralsOf,
  settingsAfter,
  walletsOf,
} from "../support/terminal.ts";
import { forgeries } from "../support/tokens.ts";
import { partIn, stackTrace } from "../support/traces.ts";
import { issueToken, newUser } from "../support/users.ts";

let folder: string;
let runner: Runner;

const dataDir = () => join(folder, "data");

async function start(port?: number): Promise<void> {
  runner = await startRunner({
    output: join(folder, "output"),
    dataDir: dataDir(),
    ...(port !== undefined && { port }),
  });
  talkTo({
    baseUrl: runner.baseUrl,
    allowedOrigin: undefined,
    tokens: { from: "issuer" },
    local: { port: runner.port, dataDir: dataDir(), output: runner.output },
  });
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "e2e-own-"));
  await start();
});

afterAll(async () => {
  await runner?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** What was printed, and every file that the runner has written except the stacks. */
async function everythingWritten(): Promise<[name: string, content: Buffer][]> {
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = files.filter((file) => file.isFile()).map((file) => join(file.parentPath, file.name));
  const written = paths.filter((path) => !path.includes("cdk.out"));
  return Promise.all(
    written.map(async (path): Promise<[string, Buffer]> => [relative(folder, path), await readFile(path)]),
  );
}

const isLog = (name: string) => name === "output" || name.endsWith(".log");

/** A word that stands nowhere else. */
const newWord = () => `word${randomBytes(12).toString("hex")}`;

/** Sends requests of every sort, and collects the answers. */
async function useAndAbuse(
  keys: { evm: Key; solana: Key; bad: string[] },
  words: string[],
  tokens: string[],
) {
  const user = await newUser();
  const [good = "", ...wrong] = tokens;
  const typed = ["Content-Type", "application/json"] as const;
  const signed = { token: user.token };
  const own = { token: good };
  const answers: Answer[] = [];
  const say = async (asked: Promise<Answer>) => void answers.push(await asked);

  for (const key of [keys.evm, keys.solana]) {
    await say(post("/storeWallet_v2", { ...own, body: bodyOf(key) }));
    await say(post("/storeWallet_v2", { ...own, body: { ...bodyOf(key), network: "btc" } }));
    await say(post("/storeWallet_v2", { ...own, body: { ...bodyOf(key), network: key.privateKey } }));
    await say(post("/storeWallet_v2", { ...own, body: { ...bodyOf(key), [key.privateKey]: 1 } }));
    await say(
      post("/storeWallet_v2", { ...own, body: { network: key.network, privateKey: [key.privateKey] } }),
    );
    await say(post("/storeWallet_v2", { ...own, body: JSON.stringify(bodyOf(key)).slice(0, -1) }));
    await say(post("/storeWallet_v2", { ...own, body: key.privateKey }));
    await say(post("/storeWallet_v2", { body: bodyOf(key) }));
    await say(post(`/storeWallet_v2?privateKey=${key.privateKey}`, { ...own, body: {} }));
    await say(post(`/updateTradingSettings/${key.privateKey}`, { ...own, body: {} }));
    await say(post("/updateTradingSettings/eth", { ...own, body: { gasPreset: key.privateKey } }));
    await say(get(`/getUserData?type=${key.privateKey}`, own));
    await say(get(`/${key.privateKey}`, own));
    await say(sendRaw("POST", "/storeWallet_v2", [["Content-Type", key.privateKey]], key.privateKey));
  }
  for (const privateKey of keys.bad)
    for (const network of ["eth", "sol"])
      await say(post("/storeWallet_v2", { ...signed, body: { network, privateKey } }));
  for (const word of words) {
    await say(post("/storeWallet_v2", { ...signed, body: { network: word, privateKey: word } }));
    await say(post("/storeWallet_v2", { ...signed, body: `{"network":"eth","privateKey":"${word}"` }));
    await say(post("/updateTradingSettings/sol", { ...signed, body: { slippage: word, autoBuy: [word] } }));
    await say(sendRaw("POST", "/updateTradingSettings/sol", [typed], JSON.stringify({ slippage: word })));
  }
  for (const token of wrong) {
    for (const { method, path, body } of endpoints) await say(send(method, path, { token, body }));
    await say(get("/listWallets", { headers: { Cookie: `access_token=${token}` } }));
  }
  for (const { method, path, body } of endpoints) await say(send(method, path, { ...own, body }));
  for (const token of tokens) {
    await say(get(`/listWallets?access_token=${token}`));
    await say(get(`/nothing/${token}`, { token }));
    await say(get("/listWallets", { headers: { Authorization: `Basic ${token}` } }));
    await say(get("/listWallets", { token, headers: { Origin: `https://${token.slice(-20)}.example` } }));
    await say(sendRaw("POST", "/storeWallet_v2", [["Authorization", `Bearer ${token}`], typed], token));
  }
  return answers;
}

const bodyOf = ({ network, privateKey }: Key) => ({ network, privateKey });

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

  test("good and bad keys and tokens leave no trace in answers, logs and files", async () => {
    const [evm, solana] = [newEvmKey(), newSolanaKey()];
    const halves = [newEvmKey().privateKey.slice(2, 62), newSolanaKey().privateKey.slice(0, 80)];
    const bad = [...halves, newEvmKey().privateKey, newSolanaKey().privateKey, `${newEvmKey().privateKey}00`];
    const words = [newWord(), newWord()];
    const { id, token } = await newUser();
    const expired = await issueToken({ sub: id, expiresIn: -60 });
    const forged = await Promise.all(forgeries.slice(0, 8).map(([, forge]) => forge(token)));
    const tokens = [token, expired, ...forged, newWord(), `${newWord()}.${newWord()}.${newWord()}`];

    const answers = await useAndAbuse({ evm, solana, bad }, words, tokens);

    const secrets = [
      ...[evm, solana].flatMap(formsOf),
      ...bad,
      ...words,
      // The first parts of the issuer's tokens begin alike, and one of these is printed on purpose.
      ...tokens.map((each) => each.slice(each.lastIndexOf(".") + 1)),
      ...tokens.filter((each) => each.startsWith("word")),
    ];
    expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(5);
    expect(answers.filter(({ status }) => status === 400).length).toBeGreaterThan(20);
    expect(answers.filter(({ status }) => status === 401).length).toBeGreaterThan(20);
    for (const answer of answers) {
      const all = answer.text + JSON.stringify([...answer.headers]);
      expect(partIn(all, secrets)).toBeUndefined();
      expect(all).not.toMatch(stackTrace);
    }
    const written = await everythingWritten();
    expect(written.map(([name]) => name)).toEqual(expect.arrayContaining(["output", "data/issuer.json"]));
    for (const [name, content] of written) {
      expect(partIn(content.toString("latin1"), secrets), name).toBeUndefined();
      for (const { secret } of [evm, solana]) expect(content.includes(secret), name).toBe(false);
      for (const each of tokens) expect(content.includes(each), name).toBe(false);
      if (isLog(name)) expect(content.toString(), name).not.toMatch(stackTrace);
    }
  });

  test("what the runner keeps is for its owner's eyes only", async () => {
    const files = await readdir(dataDir(), { recursive: true, withFileTypes: true });
    expect(files.length).toBeGreaterThan(3);
    for (const file of files.filter(({ parentPath }) => !parentPath.includes("cdk.out"))) {
      const { mode } = await stat(join(file.parentPath, file.name));
      expect(mode & 0o077, file.name).toBe(0);
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
      ...endpoints.map(
        ({ method, path, body }) =>
          () =>
            send(method, path, { token: user.token, body }),
      ),
    ];

    const answers = await runner.withoutDatabase(() => Promise.all(requests.map((ask) => ask())));

    for (const answer of answers) {
      expect(answer.status, answer.text).toBe(500);
      expect(answer.json).toStrictEqual({ error: text, message: text });
      expect(partIn(answer.text, [...formsOf(key), user.token])).toBeUndefined();
    }
    expect(await profileOf(user)).toStrictEqual(before);
    expect((await walletsOf(user)).length).toBeLessThanOrEqual(1);
    const logs = (await everythingWritten()).filter(([name]) => isLog(name));
    expect(logs.filter(([, content]) => content.length > 0).length).toBeGreaterThan(1);
    for (const [name, content] of logs) {
      expect(
        partIn(content.toString(), [...formsOf(key), user.token.split(".")[2] ?? ""]),
        name,
      ).toBeUndefined();
      expect(content.toString(), name).not.toMatch(stackTrace);
    }
  });
});

test("after a crash, and a start on the same data, everything is there and the tokens are good", async () => {
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

  await runner.kill();
  await start(runner.port);

  expect(await state()).toStrictEqual(before);
  expectUnauthorized(await get("/listWallets", { token: expired }), { expired: true });
  for (const key of keys) expectMessage(await importWallet(user, key), 200);
  expect(await walletsOf(user)).toStrictEqual(before.wallets);
  await importAll(user, [newEvmKey()]);
  expect(await walletsOf(user)).toHaveLength(3);
  expect(await profileOf(await newUser())).toMatchObject({ tier: "Base" });
});
