import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { beforeAll, describe, expect, inject, it } from "vitest";
import { programs } from "../../../lib/chains/sol/calls/addresses.ts";
import { tradingChains } from "../../../lib/core/chain-facts.ts";
import { solSymbols } from "../../../lib/tools/runner/demo-chains.ts";
import { main as tradeDemo } from "../../../lib/tools/runner/trade-demo.ts";
import { runsAll } from "../../cases/sample.ts";
import { exitsSoak } from "../../soak/exits/exits-soak.ts";
import { soak } from "../../soak/soak.ts";
import { accessChains } from "../../soak/trade/chain-access.ts";
import { accessSol } from "../../soak/trade/sol/sol-access.ts";
import { tradeSoak } from "../../soak/trade/trade-soak.ts";
import { newEvmKey, newSolanaKey } from "../../support/keys.ts";
import { stackTrace, traceFinder, tracesIn, writtenFiles } from "../../support/traces.ts";
import { stdioForTests } from "../../tools/runner/support/stdio.ts";
import { admin } from "../support/admin.ts";
import { tradingBot } from "../support/bot.ts";
import { get, send } from "../support/client.ts";
import { deployment, localRunner, runnerProcess } from "../support/deployment.ts";
import { endpoints } from "../support/endpoints.ts";
import { expectMessage, expectUnauthorized } from "../support/expectations.ts";
import { endless, exempt, pages, runBlocks, shellBlocks } from "../support/pasted.ts";
import { withoutDatabase } from "../support/runner.ts";
import { versionOf } from "../support/settings-events.ts";
import { expectToWork, refusalOf, streamOf, subscribe } from "../support/stream.ts";
import { error, subscriptions } from "../support/stream-shapes.ts";
import {
  importAll,
  importWallet,
  profileOf,
  referralsOf,
  settingsAfter,
  walletsOf,
} from "../support/terminal.ts";
import { issueToken, newUser } from "../support/users.ts";
import { keepAnswer, noteSecret, type Secret } from "../support/written.ts";

// Runs these tests one after another, after all others of test/e2e: they disturb the runner or inspect its output.

const isLocal = deployment().local !== undefined;

/** Allows time for a restart on a busy machine. */
const restartMs = 180_000;

const outage = async <Result>(act: () => Promise<Result>): Promise<Result> =>
  withoutDatabase((await runnerProcess("GET")) ?? 0, act);

if (isLocal)
  // Runs trades that change prices on which other tests rely, and makes services fail for a moment.
  describe("the shell commands of the documents", () => {
    const isExempt = ({ commands }: { commands: string }) => exempt.some(({ has }) => has.test(commands));
    const all = pages.map((page) => ({ page, blocks: shellBlocks(page).filter((one) => !isExempt(one)) }));

    // Restores the example rewards, which other tests replace.
    beforeAll(async () => void (await admin("put-rewards", "lib/tools/admin/examples/rewards.json")));

    it.each(all.filter(({ blocks }) => blocks.length > 0))(
      "runs every command in $page exactly as written",
      async ({ blocks }) => {
        expect(await runBlocks(blocks)).toEqual([]);
      },
    );

    it("finds a documented command for each exception that these tests list", () => {
      const blocks = pages.flatMap(shellBlocks);
      const unused = [...exempt, ...endless].filter(
        ({ has }) => !blocks.some((one) => has.test(one.commands)),
      );
      expect(unused).toEqual([]);
    });
  });

if (isLocal)
  // Waiting for functions to give up takes seconds, so requests and streams share one outage.
  it("reports an outage of the database to requests and open connections, and recovers fully", async () => {
    const [user, listener, late] = [await newUser(), await newUser(), await newUser()];
    const before = await profileOf(user);
    const stream = await streamOf(listener);
    await subscribe(stream, "orders");
    const key = newEvmKey();
    const requests = [
      () => importWallet(user, key),
      // Invalid requests are refused before the database is queried.
      ...endpoints
        .filter(({ status }) => status !== 400)
        .map(
          ({ method, path, body }) =>
            () =>
              send(method, path, { token: user.token, body }),
        ),
    ];

    const [answers, refused, problem, pong] = await outage(() =>
      Promise.all([
        Promise.all(requests.map((ask) => ask())),
        refusalOf(late),
        stream.ask({ type: "subscribe", id: "c1", channels: ["positions"] }),
        stream.ask({ type: "ping", id: "p1" }),
      ]),
    );

    for (const answer of answers) {
      expect(answer.status, answer.text).toBe(500);
      // The endpoint sends this error, or API Gateway does if the authorizer failed.
      expect(answer.text).toContain("Internal server error");
    }
    expect(refused.status, refused.text).toBe(500);
    expect(problem).toStrictEqual(error("INTERNAL_ERROR", { id: "c1" }));
    expect(pong).toMatchObject({ type: "pong" });
    expect(await profileOf(user)).toStrictEqual(before);
    expect((await walletsOf(user)).length).toBeLessThanOrEqual(1);
    await subscribe(stream, "positions");
    await settingsAfter(listener, "eth", { slippage: 3 });
    await stream.take(versionOf("eth", 1));
    await expectToWork(await streamOf(late));
  });

if (isLocal)
  describe("a crash of the runner", () => {
    it(
      "loses no data after a crash, keeps tokens valid, and stops neither bot nor demo",
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

        const { printed, ...stdio } = stdioForTests();
        // The chain sol starts over with the runner, so the demo's round on it starts over as well.
        const chains = runsAll() ? tradingChains : (["bsc", "sol"] as const);
        // The curve of BRIM completes, so its pool buys the tokens.
        const solTokens = runsAll() ? solSymbols : (["MOON", "BRIM"] as const);
        const options = ["--no-earnings", "--chain", ...chains, "--sol-token", ...solTokens];
        const demo = tradeDemo(["--port", `${localRunner().port}`, ...options], stdio);
        const bot = await tradingBot();
        signed.push(...(await signedOnSol()));
        await runnerProcess("POST");

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

        const { bought, sold } = await bot.done;
        expect([bought, sold]).toMatchObject([
          { side: "buy", status: "filled", settled: true, filledAmount: "0.5" },
          { side: "sell", status: "filled", settled: true, filledAmount: bought.receivedAmount },
        ]);
        expect(await bot.outcome()).toMatchObject({
          orders: [sold, bought],
          positions: [{ status: "closed", amount: "0" }],
          moon: { amount: "0" },
        });
        expect({ status: await demo, err: printed.err }, printed.out).toEqual({ status: 0, err: "" });
        const lines = [...printed.out.matchAll(/^(\w+): .+ \| PnL -0\.0\d+ [A-Z]+ \| chain agrees$/gm)];
        const rounds = chains.flatMap((chain) => (chain === "sol" ? solTokens.map(() => chain) : [chain]));
        expect(lines.map(([, chain]) => chain).toSorted()).toEqual(rounds.toSorted());
      },
      2 * restartMs,
    );
  });

/** Parts of signed transactions, as stored in the table. Only the table and the chains may contain them. */
const signed: string[] = [];

/** Collects signed transactions from the chain sol, which forgets them when the runner ends. */
async function signedOnSol(): Promise<string[]> {
  const { request } = await accessSol(localRunner().chainPort);
  const options = { commitment: "confirmed", encoding: "base64", maxSupportedTransactionVersion: 0 };
  // All transactions of orders use this program.
  const all = await request<{ signature: string }[]>("getSignaturesForAddress", programs.system, options);
  const found = await Promise.all(
    all.map(async ({ signature }) => {
      type Found = { transaction: [string] } | null;
      const one = await request<Found>("getTransaction", signature, options);
      // An airdrop is listed without a transaction.
      return one === null ? [] : [one.transaction[0]];
    }),
  );
  return found.flat();
}

/** Collects signed transactions from all blocks of the local EVM chains. */
async function signedOnEvm(): Promise<string[]> {
  const ofChains = accessChains(localRunner().chainPort).map(async ({ head, requestAll }) => {
    const numbers = Array.from({ length: (await head()) + 1 }, (_, number) => `0x${number.toString(16)}`);
    const blocks = await requestAll(numbers.map((number) => ["eth_getBlockByNumber", [number, true]]));
    return (blocks as { transactions: { r: string; s: string }[] }[]).flatMap(({ transactions }) =>
      transactions.flatMap(({ r, s }) => [r.slice(2), s.slice(2)]),
    );
  });
  return (await Promise.all(ofChains)).flat();
}

if (isLocal && runsAll())
  describe("a short soak", () => {
    const { baseUrl, streamUrl } = deployment();
    const target = {
      baseUrl,
      streamUrl,
      keep: keepAnswer,
      dataDir: localRunner().dataDir,
      restart: async () => void (await runnerProcess("POST")),
      noteSecret: (forms: string[]) => noteSecret("key as sent", forms),
    };

    it(
      "keeps every promise despite failures",
      async () => {
        const options = { requests: 150, users: 10, seed: 1, atOnce: 10 };
        const { problems, crashes } = await soak(target, options);
        expect(problems).toEqual([]);
        expect(crashes).toBe(1);
      },
      restartMs,
    );

    it(
      "agrees with the chains on orders and positions despite failures",
      async () => {
        const { chainPort } = localRunner();
        const { problems, crashes, shown } = await tradeSoak(
          { ...target, chainPort, noteSigned: (parts) => void signed.push(...parts) },
          { orders: 50, wallets: 16, seed: 1, mostValidSeconds: 15 },
        );
        expect(problems).toEqual([]);
        expect(crashes).toBe(1);
        expect(shown.orders.length).toBeGreaterThanOrEqual(50);
      },
      2 * restartMs,
    );

    it(
      "rests the exits of each filled buy once although functions are killed",
      async () => {
        const { chainPort } = localRunner();
        const { problems, buys } = await exitsSoak(
          {
            ...target,
            chainPort,
            noteSigned: (parts) => void signed.push(...parts),
            runner: async () => (await runnerProcess("GET")) ?? 0,
          },
          { orders: 25, seed: 1 },
        );
        expect(problems).toEqual([]);
        expect(buys.filter(({ fills }) => fills.length > 0).length).toBeGreaterThan(20);
      },
      2 * restartMs,
    );
  });

if (isLocal)
  describe("the runner", () => {
    it("ends together with all of its processes", async () => {
      const onSol = await signedOnSol();
      // The demo has bought and sold by now.
      expect(onSol.length).toBeGreaterThanOrEqual(2);
      signed.push(...(await signedOnEvm()), ...onSol);
      await runnerProcess("DELETE");
    });
  });

describe("all output of the run", () => {
  const { folder, secrets: notes } = inject("written");
  let secrets: Secret[];
  let findTrace: ReturnType<typeof traceFinder>;
  let findStored: ReturnType<typeof traceFinder>;

  beforeAll(() => {
    secrets = readdirSync(notes)
      .flatMap((name) => readFileSync(join(notes, name), "utf8").trim().split("\n"))
      .map((line): Secret => JSON.parse(line));
    const [stored, others] = [true, false].map((isStored) =>
      secrets.filter(({ kind }) => (kind === "stored word") === isStored).flatMap(({ texts }) => texts),
    );
    findTrace = traceFinder(others ?? []);
    findStored = traceFinder(stored ?? []);
  });

  /** Files and output of the runner, and every response to a client. */
  const files = () => writtenFiles(folder);
  const isOfDatabase = (path: string) => /\.db(-\w+)?$/.test(path);
  const traces = () => [
    ...tracesIn(folder, findTrace),
    ...tracesIn(folder, findStored, (path) => !isOfDatabase(path)),
  ];
  const logs = () => files().filter((path) => path.endsWith(".log"));

  it("collects enough secrets of every kind to search for", () => {
    const kinds = new Set(secrets.map(({ kind }) => kind));

    expect([...kinds]).toEqual(expect.arrayContaining(["EVM key", "Solana key", "key as sent", "token"]));
    if (isLocal) {
      expect([...kinds]).toContain("word");
      const names = files().map((path) => relative(folder, path));
      expect(names).toEqual(expect.arrayContaining(["output.log", "data/issuer.json"]));
      expect(names.filter((name) => name.endsWith(".db")).length).toBeGreaterThan(0);
    }
    expect(logs().filter((path) => readFileSync(path).length > 0).length).toBeGreaterThan(1);
  });

  it("finds no secret in the output", () => {
    expect(traces()).toEqual([]);
  });

  it("finds no signed transaction in a log or a response", () => {
    if (isLocal) expect(signed.length).toBeGreaterThan(4);
    expect(tracesIn(folder, traceFinder(signed), (path) => path.endsWith(".log"))).toEqual([]);
  });

  it("would find a secret in every encoding that the search covers", () => {
    const planted = join(folder, "planted");
    mkdirSync(planted);
    const samples = Object.values(Object.groupBy(secrets, ({ kind }) => kind)).flatMap(
      (ofKind) => ofKind?.at(-1)?.texts ?? [],
    );

    for (const [index, text] of samples.entries()) {
      const upper = text.slice(2).replace(/[a-z]/g, (letter) => letter.toUpperCase());
      writeFileSync(join(planted, `${index}`), `{"before":"${upper}"}`, "latin1");
    }

    expect(traces().map((trace) => trace.split(":")[0])).toEqual(
      expect.arrayContaining(samples.map((_, index) => `planted/${index}`)),
    );
    rmSync(planted, { recursive: true });
  });

  it("finds no stack trace in a log or a response", () => {
    for (const path of logs()) expect(readFileSync(path, "utf8"), path).not.toMatch(stackTrace);
  });
});
