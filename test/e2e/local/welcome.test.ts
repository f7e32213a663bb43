import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { type CurlRequest, curlRequests } from "../../support/curl-requests.ts";
import { localRunner } from "../support/deployment.ts";

type Answer = { path: string; status: number; data: unknown };

describe("lines of the welcome text", () => {
  let answers: Answer[];

  beforeAll(async () => {
    // The runner starts serving shortly before it prints these lines.
    const lines = await vi.waitFor(() => {
      const output = readFileSync(join(dirname(localRunner().dataDir), "output.log"), "utf8");
      const [found] = /\nTOKEN=.*?(?=\nnode -e)/s.exec(output) ?? [];
      expect(found).toBeDefined();
      return found as string;
    }, 20_000);
    answers = await Promise.all((await curlRequests(lines)).filter(isHarmless).map(send));
  });

  /** Excludes orders, which change prices that other tests expect. test/e2e/last runs them. */
  const isHarmless = ({ method, url }: CurlRequest) => method === "GET" || !url.endsWith("/api/v2/orders");

  async function send({ method, url, headers, body }: CurlRequest) {
    const pairs = headers.map((header) => header.split(": ") as [string, string]);
    const response = await fetch(url, { method, headers: pairs, ...(body !== undefined && { body }) });
    const json = (await response.json()) as { data?: unknown };
    return { path: new URL(url).pathname, status: response.status, data: json.data };
  }

  const dataOf = (path: string) => answers.filter((answer) => answer.path === path).map(({ data }) => data);

  it("runs every line of the welcome text successfully", () => {
    expect(answers.length).toBeGreaterThan(12);
    expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
  });

  it("quotes the same token MOON on all chains, and STAR through two pools", () => {
    const quotes = ["eth", "base", "bsc", "avax"].map((chain) => ({
      quote: expect.objectContaining({ chain, amountOut: "4960.273038901078125544" }),
    }));
    const throughTwo = {
      symbol: "STAR/ETH",
      baseSymbol: "STAR",
      quoteSymbol: "ETH",
      route: [expect.anything(), expect.anything()],
    };
    const onSol = { chain: "sol", symbol: "MOON/SOL", amountOut: expect.stringMatching(/^49\d\d\./) };
    const others = [throughTwo, onSol].map((quote) => ({ quote: expect.objectContaining(quote) }));
    expect(dataOf("/api/v2/quotes")).toEqual([...quotes, ...others]);
  });

  it("shows that the example wallet has coins", () => {
    const coins = expect.objectContaining({ token: "native", amount: "100" });
    expect(dataOf("/api/v2/balances")).toEqual([
      expect.objectContaining({ balances: expect.arrayContaining([coins]) }),
    ]);
  });

  it("distinguishes a taxed token from a token that cannot be sold", () => {
    const tokens = answers.filter(({ path }) => path.startsWith("/api/v2/tokens/")).map(({ data }) => data);
    expect(tokens).toMatchObject([
      { token: { symbol: "TRAP", sellable: false } },
      { token: { symbol: "TAXD", sellable: true, buyTax: 5, sellTax: 5 } },
      { token: { symbol: "TRAP", sellable: false, flags: expect.arrayContaining(["FROZEN_BY_DEFAULT"]) } },
      { token: { symbol: "FEEZ", sellable: true, buyTax: 1, sellTax: 1 } },
    ]);
  });
});
