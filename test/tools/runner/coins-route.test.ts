import { afterEach, describe, expect, it, vi } from "vitest";
import { coinsRoute } from "../../../lib/tools/runner/coins-route.ts";

const wallet = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
const solWallet = "9uKPBoBGkfeVQXFnXcqtPksx3FmLxoDEsu2FskRovQWJ";

function routeForTest(outcome: "given" | "refused" | "waiting" = "given") {
  const gifts: string[] = [];
  const route = coinsRoute(["eth", "sol"], async (chain, address) => {
    gifts.push(`${chain} ${address}`);
    return outcome;
  });
  async function send(
    body: unknown,
    { method = "POST", target = "/local/coins", type = "application/json", origin = "" } = {},
  ) {
    const answer = await route({
      method,
      target,
      headers: [
        ["Host", "127.0.0.1:3000"],
        ["Content-Type", type],
        ...(origin ? [["Origin", origin] as const] : []),
      ],
      body: Buffer.from(typeof body === "string" ? body : JSON.stringify(body)),
      sourceIp: "127.0.0.1",
    });
    return answer && { status: answer.status, body: JSON.parse(String(answer.body)) };
  }
  return { send, gifts };
}

afterEach(() => void vi.useRealTimers());

describe("coinsRoute", () => {
  it("gives coins on each chain, to programs and to the runner's own pages", async () => {
    const { send, gifts } = routeForTest();
    expect(await send("", { method: "GET" })).toEqual({
      status: 200,
      body: { chains: ["eth", "sol"], amount: "10" },
    });
    expect(await send({ chain: "eth", address: wallet })).toEqual({
      status: 200,
      body: { chain: "eth", address: wallet, amount: "10" },
    });
    const origin = "http://127.0.0.1:3000";
    expect(await send({ chain: "sol", address: solWallet }, { origin })).toMatchObject({ status: 200 });
    expect(gifts).toEqual([`eth ${wallet}`, `sol ${solWallet}`]);
    expect(await send({}, { target: "/local" })).toBeUndefined();
  });

  it("names the field that is wrong, and gives nothing", async () => {
    const { send, gifts } = routeForTest();
    for (const [body, text] of [
      [{ chain: "btc", address: wallet }, /^chain: /],
      [{ address: wallet }, /^chain: /],
      [{ chain: "eth" }, /^address: /],
      [{ chain: "eth", address: solWallet }, /^address: /],
      [{ chain: "sol", address: wallet }, /^address: /],
      [{ chain: "eth", address: wallet.replace("f39F", "F39F") }, /^address: /],
      [{ chain: "eth", address: wallet, amount: "1000" }, /^amount: /],
      ["{", /JSON/],
    ] as const)
      expect(await send(body)).toEqual({ status: 400, body: { error: expect.stringMatching(text) } });
    expect(await send("", { method: "PUT" })).toMatchObject({ status: 405 });
    expect(gifts).toEqual([]);
  });

  it("gives nothing to pages of other sites", async () => {
    const { send, gifts } = routeForTest();
    const body = { chain: "eth", address: wallet };
    for (const origin of ["https://example.com", "http://127.0.0.1:5173", "null"])
      expect(await send(body, { origin })).toMatchObject({ status: 403 });
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "application/jsonp"])
      expect(await send(body, { type })).toMatchObject({ status: 415 });
    expect(gifts).toEqual([]);
  });

  it("gives five times a second at most", async () => {
    vi.useFakeTimers();
    const { send, gifts } = routeForTest();
    const body = { chain: "eth", address: wallet };
    for (let count = 0; count < 5; count++) expect(await send(body)).toMatchObject({ status: 200 });
    expect(await send(body)).toMatchObject({ status: 429 });
    vi.advanceTimersByTime(1000);
    expect(await send(body)).toMatchObject({ status: 200 });
    expect(gifts).toHaveLength(6);
  });

  it("reports an address that takes no coins, and a chain without blocks", async () => {
    const body = { chain: "eth", address: wallet };
    expect(await routeForTest("refused").send(body)).toEqual({
      status: 400,
      body: { error: expect.stringMatching(/^address: /) },
    });
    expect(await routeForTest("waiting").send(body)).toMatchObject({ status: 503 });
  });
});
