import { describe, expect, it } from "vitest";
import { evmChains } from "../../../lib/core/chain-facts.ts";
import { welcome } from "../../../lib/tools/runner/welcome.ts";

const service = {
  baseUrl: "http://127.0.0.1:3000",
  streamUrl: "ws://127.0.0.1:3001",
  user: "alice",
  token: "eyJ.x.y",
  expiresInSeconds: 3600,
  dataDir: "/home/developer/trading-terminal/.terminal",
  chains: undefined,
  sol: undefined,
};

const chains = evmChains.map((chain, index) => ({ chain, url: `http://127.0.0.1:${8545 + index}` }));
const sol = { url: "http://127.0.0.1:8549" };

describe("the welcome of the local runner", () => {
  it("shows all addresses, first the console's, the token and a request to paste", () => {
    expect(welcome({ ...service, chains, sol })).toBe(`
console    http://127.0.0.1:3000/console/   offers "Continue as alice"
docs       http://127.0.0.1:3000/docs/
base_url   http://127.0.0.1:3000
stream_url ws://127.0.0.1:3001
data       /home/developer/trading-terminal/.terminal
chains     eth 8545 · base 8546 · bsc 8547 · avax 8548 · sol 8549, with test money
wallet     0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266 of alice, 100 coins on each chain
           9uKPBoBGkfeVQXFnXcqtPksx3FmLxoDEsu2FskRovQWJ on sol
           its private key is public: never use it elsewhere
try        npm run -s trade:demo   trades on each chain

TOKEN=eyJ.x.y
curl -sw '\\n' -H "Authorization: Bearer $TOKEN" http://127.0.0.1:3000/listWallets

The token is for alice, for 60 minutes. Another: npm run -s token -- --user alice --port 3000
More to paste is in docs/local.md. Ctrl-C stops everything.
`);
  });

  it("needs at most 15 lines of 100 columns, without blank ones and the token's", () => {
    const lines = welcome({ ...service, chains, sol })
      .split("\n")
      .filter((line) => !/^(TOKEN=|$)/.test(line));
    expect(lines.length).toBeLessThanOrEqual(15);
    expect(lines.filter((line) => line.length > 100)).toEqual([]);
  });

  it("omits the stream if there is none", () => {
    expect(welcome({ ...service, streamUrl: undefined })).not.toMatch(/stream|ws/);
  });

  it("shows no chains, wallets and trades if trading is off", () => {
    expect(welcome(service)).not.toMatch(/chains|wallet {5}|trade:demo/);
  });

  it("shows the chains without sol where it does not run", () => {
    expect(welcome({ ...service, chains })).not.toMatch(/\bsol\b|9uKP/);
  });

  it("names a non-default port in the demo's command", () => {
    const text = welcome({ ...service, baseUrl: "http://127.0.0.1:4000", chains });
    expect(text).toContain("npm run -s trade:demo -- --port 4000   trades");
  });
});
