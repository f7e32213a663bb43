import { execFile } from "node:child_process";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { localAddresses } from "trading-terminal-devnet/evm/deployment";
import { exampleSolWallet } from "trading-terminal-devnet/example-wallets";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { WebSocketServer } from "ws";
import { evmChains } from "../../../lib/core/chain-facts.ts";
import { type Welcome, welcome } from "../../../lib/tools/runner/welcome.ts";
import { curlRequests } from "../../support/curl-requests.ts";

const service = {
  baseUrl: "http://127.0.0.1:3000",
  streamUrl: "ws://127.0.0.1:3001",
  user: "alice",
  token: "eyJ.x.y",
  expiresInSeconds: 3600,
  dataDir: "/data",
  chains: undefined,
  sol: undefined,
};

describe("the welcome of the local runner", () => {
  it("shows all addresses, the token and the commands", () => {
    expect(welcome(service)).toContain(`
base_url   http://127.0.0.1:3000
stream_url ws://127.0.0.1:3001
console    http://127.0.0.1:3000/console/
docs       http://127.0.0.1:3000/docs/
data       /data
logs       /data/logs
token      for alice, valid for 60 minutes
           another: npm run -s token -- --user alice --port 3000

TOKEN=eyJ.x.y
`);
  });

  it("omits the stream if there is none", () => {
    const text = welcome({ ...service, streamUrl: undefined });
    expect(text).not.toMatch(/stream|ws/);
    expect(text).toContain("3000\nconsole ");
    expect(text).toContain('rewards"\n\nCtrl-C stops everything.\n');
  });

  it("shows the chains and the wallet if chains run", () => {
    const chains = (["eth", "bsc"] as const).map((chain, index) => ({
      chain,
      url: `http://127.0.0.1:${8545 + index}`,
    }));
    expect(welcome({ ...service, chains })).toContain(`
logs       /data/logs
chains     eth 8545 · bsc 8546   real Uniswap contracts, test money
wallet     0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266 of alice, 100 coins on each chain
           its key is public: never use it elsewhere
try        npm run -s trade:demo
           buys and sells on each chain, and checks that all results agree to the last unit
           with -- --resting, also fires resting orders of each type
token      for alice`);
    expect(welcome(service)).not.toMatch(/chains|wallet {5}|trade:demo/);
  });

  it("shows the Solana chain and its tokens if it runs", () => {
    const chains = [{ chain: "eth", url: "http://127.0.0.1:8545" }] as const;
    const sol = { url: "http://127.0.0.1:8549", tokens: { MOON: "m", FEEZ: "f", TRAP: "t" } };
    const text = welcome({ ...service, chains, sol });
    expect(text).toContain(`
chains     eth 8545   real Uniswap contracts, test money
           sol 8549   stand-ins of Raydium and Pump, new at each start
wallet     0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266 of alice, 100 coins on each chain
           9uKPBoBGkfeVQXFnXcqtPksx3FmLxoDEsu2FskRovQWJ on sol
           their keys are public: never use them elsewhere
`);
    expect(text).toMatch(/^W=0x\S+ MOON=.*\nSOL_W=9uKP\S+\nSOL_MOON=m SOL_FEEZ=f SOL_TRAP=t\ncurl /m);
    expect(welcome({ ...service, chains })).not.toMatch(/SOL_|sol \d/);
  });

  it("names a non-default port in the demo's command", () => {
    const chains = [{ chain: "eth", url: "http://127.0.0.1:9545" }] as const;
    const text = welcome({ ...service, baseUrl: "http://127.0.0.1:4000", chains });
    expect(text).toContain("npm run -s trade:demo -- --port 4000\n");
    expect(text).toContain("           with --resting, also fires");
  });

  it("prints working commands for these requests with chains", async () => {
    const chains = evmChains.map((chain) => ({ chain, url: "http://127.0.0.1:1" }));
    const { moon: token, trap, taxd, star } = localAddresses;
    const wallet = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
    const trade = { type: "market", chain: "eth", wallet, token };
    const limit = { type: "limit", price: "0.00009", expiresInSeconds: 600 };
    const sol = { url: "http://127.0.0.1:1", tokens: { MOON: "m", FEEZ: "f", TRAP: "t" } };
    const solBuy = { chain: "sol", wallet: exampleSolWallet.address, side: "buy", token: "m", amount: "0.5" };
    expect(await pasted({ chains, sol })).toEqual([
      ...always,
      ["GET", "/api/v2/tokens?chain=eth"],
      ["GET", `/api/v2/tokens/eth/${trap}`],
      ["GET", `/api/v2/tokens/eth/${taxd}`],
      ["GET", `/api/v2/balances?chain=eth&wallet=${wallet}`],
      ...evmChains.map((chain) => [
        "POST",
        "/api/v2/quotes",
        { chain, wallet, side: "buy", token, amount: "0.5" },
      ]),
      ["POST", "/api/v2/quotes", { chain: "eth", wallet, side: "buy", token: star, amount: "0.5" }],
      ["POST", "/api/v2/orders", { ...trade, side: "buy", amount: "0.5" }],
      ["GET", "/api/v2/tokens?chain=sol"],
      ["GET", "/api/v2/tokens/sol/t"],
      ["GET", "/api/v2/tokens/sol/f"],
      ["POST", "/api/v2/quotes", solBuy],
      ["POST", "/api/v2/orders", { type: "market", ...solBuy }],
      ["GET", "/api/v2/positions?chain=eth"],
      ["POST", "/api/v2/orders", { ...trade, side: "sell", percent: 100 }],
      ["GET", "/api/v2/orders?limit=2"],
      ["POST", "/api/v2/orders", { ...trade, side: "buy", amount: "0.5", ...limit }],
      ["GET", "/api/v2/orders?status=resting"],
    ]);
  });

  it("prints working commands for these requests without chains", async () => {
    const privateKey = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";
    expect(await pasted({})).toEqual([
      ["POST", "/storeWallet_v2", { network: "eth", privateKey }],
      ...always,
    ]);
  });

  const always = [
    ["GET", "/listWallets"],
    ["POST", "/updateTradingSettings/eth", { slippage: 1.5, gasPreset: "fast" }],
    ["GET", "/getUserData"],
    ["GET", "/getUserData?type=ref"],
    ["GET", "/api/waitlist/v2/rewards"],
  ];

  /** Runs all printed commands except the stream's. Returns their requests. */
  async function pasted(changes: Partial<Welcome>): Promise<unknown[]> {
    const text = welcome({ ...service, ...changes, streamUrl: undefined });
    const lines = text.slice(text.indexOf("\nTOKEN="), text.indexOf("\nCtrl-C"));
    const requests = await curlRequests(lines);
    const json = "Content-Type: application/json";
    for (const { headers, method, url, body = "" } of requests)
      expect(headers).toEqual([
        "Authorization: Bearer eyJ.x.y",
        ...(method === "POST" && url.endsWith("/orders") ? [keyOf(JSON.parse(body))] : []),
        ...(method === "POST" ? [json] : []),
      ]);
    return requests.map(({ method, url, body }) => [
      method,
      url.replace(service.baseUrl, ""),
      ...(body === undefined ? [] : [JSON.parse(body)]),
    ]);
  }

  const keyOf = ({ side, chain }: { side: string; chain: string }) =>
    expect.stringMatching(new RegExp(`^Idempotency-Key: ${side}-${chain}-\\d+$`));

  it("prints a working command for the stream, to paste after the token's", async () => {
    const server = new WebSocketServer({ host: "127.0.0.1", port: 0 });
    onTestFinished(() => void server.close());
    await once(server, "listening");
    server.on("connection", (socket, { headers }) =>
      socket.on("message", (data) => socket.send(`${headers["sec-websocket-protocol"]} sent ${data}`)),
    );
    const streamUrl = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const lines = welcome({ ...service, streamUrl }).split("\n");
    const pasted = lines.filter((line) => line.startsWith("TOKEN=") || line.startsWith("node -e"));
    expect(pasted).toHaveLength(2);
    const shell = execFile("sh", ["-c", pasted.join("\n").replace("\nnode", "\nexec node")]);
    onTestFinished(() => void shell.kill());
    let printed = "";
    shell.stdout?.on("data", (text: string) => {
      printed += text;
    });
    const message = '{"type":"subscribe","channels":["prices"]}';
    await vi.waitFor(() => expect(printed).toBe(`access_token,eyJ.x.y sent ${message}\n`), 20_000);
  });
});
