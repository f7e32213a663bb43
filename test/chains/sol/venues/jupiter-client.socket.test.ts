import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { inspect } from "node:util";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { wsolMint } from "../../../../lib/chains/sol/calls/addresses.ts";
import { jupiterProgram } from "../../../../lib/chains/sol/venues/jupiter.ts";
import {
  type JupiterAnswers,
  type JupiterFault,
  jupiterClient,
} from "../../../../lib/chains/sol/venues/jupiter-client.ts";
import { buyTerms, helper, solKey } from "../../../support/sol-terms.ts";

const key = "c0ffee5ec4e7";
let answer: (response: ServerResponse) => void;
let asked: IncomingMessage[] = [];
const server = createServer((request, response) => {
  asked.push(request);
  answer(response);
});
let url: string;
beforeAll(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/swap/v2/build?plan=mine`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  asked = [];
});

const table = solKey("table").address;
const { mint } = buyTerms;
const question = {
  inputMint: wsolMint,
  outputMint: mint,
  amountIn: 7n,
  helper,
};
const instruction = {
  programId: jupiterProgram as string,
  accounts: [{ pubkey: helper, isSigner: true, isWritable: false }],
  data: "AQI=",
};
const built = {
  inputMint: wsolMint,
  outputMint: mint,
  inAmount: "7",
  outAmount: "9",
  otherAmountThreshold: "8",
  swapMode: "ExactIn",
  slippageBps: 50,
  priceImpactPct: "0.0125",
  routePlan: [{ swapInfo: { ammKey: table, label: "Pump.fun Amm" }, percent: 100, bps: 10_000 }],
  computeBudgetInstructions: [],
  setupInstructions: [instruction],
  cleanupInstruction: instruction,
  otherInstructions: [],
  tipInstruction: null,
  swapInstruction: instruction,
  addressesByLookupTableAddress: { [table]: [wsolMint, mint] },
};

const answering = (body: object, status = 200) => {
  answer = (response) => void response.writeHead(status).end(JSON.stringify(body));
};
const codeOf = (error: unknown) => (error as JupiterFault).code;
const fault = (client = jupiterClient({ url, key })) => client.build(question).then(() => "built", codeOf);

describe("jupiterClient", () => {
  it("sends the key in a header, and keeps only the swap, its tables, its output and its labels", async () => {
    answering(built);
    expect(
      await jupiterClient({ url, key }).build({ ...question, exchanges: ["A", "Pump.fun Amm"] }),
    ).toEqual({
      accounts: [{ address: helper, isWritable: false }],
      data: Uint8Array.of(1, 2),
      tables: new Map([[table, [wsolMint, mint]]]),
      amountOut: 9n,
      labels: ["Pump.fun Amm"],
      setupPrograms: [jupiterProgram],
    });
    const [request] = asked;
    expect(request?.headers["x-api-key"]).toBe(key);
    expect(Object.fromEntries(new URL(request?.url ?? "", url).searchParams)).toEqual({
      plan: "mine",
      inputMint: wsolMint,
      outputMint: mint,
      amount: "7",
      taker: helper,
      wrapAndUnwrapSol: "false",
      slippageBps: "50",
      maxAccounts: "40",
      dexes: "A,Pump.fun Amm",
    });
  });

  it("asks only for the configured exchanges, and accepts no other one on the route", async () => {
    answering(built);
    const only = (...exchanges: string[]) => jupiterClient({ url, exchanges });
    expect(await only("Orca", "Pump.fun Amm").build(question)).toMatchObject({ labels: ["Pump.fun Amm"] });
    expect(new URL(asked[0]?.url ?? "", url).searchParams.get("dexes")).toBe("Orca,Pump.fun Amm");
    expect(await fault(only("Orca"))).toBe("OTHER_EXCHANGE");
  });

  it("counts requests, and those with a 400 or a 429, once a minute", async () => {
    const reports: JupiterAnswers[] = [];
    let nowMs = Date.now();
    const client = jupiterClient(
      { url },
      { nowMs: () => nowMs, onAnswers: (answers) => void reports.push(answers) },
    );
    const asks = async (status: number) => {
      answering(status === 200 ? built : {}, status);
      return fault(client);
    };
    expect(await asks(400)).toBe("NO_ROUTE");
    expect(reports).toEqual([{ asked: 1, refused: 1, limited: 0 }]);
    for (const status of [200, 400, 404, 500, 429]) await asks(status);
    // After a 429, the client asks nothing for a while.
    expect(await asks(200)).toBe("RESTING");
    expect(reports).toHaveLength(1);
    nowMs += 60_000;
    await asks(200);
    expect(reports.slice(1)).toEqual([{ asked: 6, refused: 1, limited: 1 }]);
  });

  it("accepts answers without tables, an impact or other instructions, and requests without a key", async () => {
    const { setupInstructions: _, ...rest } = built;
    answering({ ...rest, addressesByLookupTableAddress: null });
    expect(await jupiterClient({ url }).build(question)).toMatchObject({
      tables: new Map(),
      setupPrograms: [],
    });
    expect(asked[0]?.headers).not.toHaveProperty("x-api-key");
  });

  it.each<[string, object]>([
    ["OTHER_PROGRAM", { swapInstruction: { ...instruction, programId: table } }],
    ["OTHER_MINTS", { inputMint: mint }],
    ["OTHER_MINTS", { outputMint: table }],
    ["OTHER_AMOUNT", { inAmount: "8" }],
    ["BAD_RESULT", { inAmount: 7 }],
    ["BAD_RESULT", { outAmount: "-1" }],
    ["BAD_RESULT", { swapInstruction: null }],
    ["BAD_RESULT", { swapInstruction: { ...instruction, data: "=" } }],
    [
      "BAD_RESULT",
      { swapInstruction: { ...instruction, accounts: Array(257).fill(instruction.accounts[0]) } },
    ],
    ["BAD_RESULT", { swapInstruction: { ...instruction, accounts: [{ pubkey: "x", isWritable: true }] } }],
    ["BAD_RESULT", { addressesByLookupTableAddress: { [table]: Array(257).fill(mint) } }],
    ["BAD_RESULT", { routePlan: {} }],
  ])("returns the fault %s for an answer with %o", async (code, change) => {
    answering({ ...built, ...change });
    expect(await fault()).toBe(code);
  });

  it("reads at most 256 kB, and waits at most 1.5 seconds", async () => {
    answering({ ...built, filler: "x".repeat(256 * 1024) });
    expect(await fault()).toBe("TOO_LARGE");
    answer = () => {};
    const startMs = Date.now();
    expect(await fault()).toBe("TIMEOUT");
    expect(Date.now() - startMs).toBeLessThan(2500);
  });

  it.each<[string, string]>([
    ["header", "Key"],
    ["URL", "http"],
  ])("waits for the keys of its %s no longer than its time limit", async (_, start) => {
    const keyed = (text: string) => (text.startsWith(start) ? () => new Promise<string>(() => {}) : text);
    expect(await fault(jupiterClient({ url, key: "Key" }, { keyed, timeoutMs: 20 }))).toBe("NO_KEY");
    expect(asked).toEqual([]);
  });

  it("sends no requests for ten seconds after too many requests", async () => {
    let nowMs = 0;
    const client = jupiterClient({ url, key }, { nowMs: () => nowMs });
    answering({ error: "Too many requests" }, 429);
    expect(await fault(client)).toBe("TOO_MANY_REQUESTS");
    answering(built);
    nowMs = 9999;
    expect(await fault(client)).toBe("RESTING");
    nowMs = 10_000;
    expect(await fault(client)).toBe("built");
    expect(asked).toHaveLength(2);
  });

  it("distinguishes a trade without a route from a fault", async () => {
    answering({ error: "No routes found" }, 400);
    expect(
      await jupiterClient({ url })
        .build(question)
        .catch((error) => error),
    ).toMatchObject({
      name: "JupiterFault",
      code: "NO_ROUTE",
      isNoRoute: true,
    });
    answering({ error: "Unauthorized" }, 401);
    expect(await fault()).toBe("BAD_STATUS");
  });

  it("keeps the key and Jupiter's texts out of its errors", async () => {
    answering({ ...built, inAmount: `${key} from Jupiter` });
    const error = await jupiterClient({ url: `${url}&key=${key}`, key })
      .build(question)
      .catch((each) => each);
    expect(inspect(error) + JSON.stringify(error)).not.toMatch(/c0ffee|from Jupiter/);
  });
});
