import { join } from "node:path";
import { localAddresses } from "trading-terminal-devnet/evm/deployment";
import { exampleSolWallet, exampleWallet } from "trading-terminal-devnet/example-wallets";
import type { EvmChain } from "../../core/chain-facts.ts";

export type Welcome = {
  baseUrl: string;
  /** URL of the stream. Undefined if there is no WebSocket API. */
  streamUrl: string | undefined;
  user: string;
  token: string;
  expiresInSeconds: number;
  /** Folder of data, keys and logs. Undefined if nothing is kept. */
  dataDir: string | undefined;
  /** The local chains. Undefined if trading is off. */
  chains: readonly { chain: EvmChain; url: string }[] | undefined;
  /** The local Solana chain. Undefined if it is not running. */
  sol: { url: string; tokens: Readonly<Record<string, string>> } | undefined;
};

/** Writes the text that newcomers read first. The lines after `TOKEN=` can be pasted into a shell. */
export function welcome(service: Welcome): string {
  const { baseUrl, streamUrl, user, token, expiresInSeconds, dataDir, chains, sol } = service;
  const get = (path: string, header = "") =>
    `curl -sw '\\n' -H "Authorization: Bearer $TOKEN"${header} "${baseUrl}${path}"`;
  /** Formats a POST request for the shell. Values of the body may contain a shell variable, such as `$W`. */
  const post = (path: string, body: object, header?: string) =>
    `${get(path, header)} -H 'Content-Type: application/json' -d '${JSON.stringify(body).replaceAll(/"(\$\w+)"/g, `"'$1'"`)}'`;
  /** Creates a new key each time the command is pasted. */
  const order = (body: { side: string; chain: string; [field: string]: unknown }) =>
    post(
      "/api/v2/orders",
      { type: "market", ...body },
      ` -H "Idempotency-Key: ${body.side}-${body.chain}-$(date +%s)"`,
    );
  const stream = streamUrl === undefined ? "" : `stream_url ${streamUrl}\n`;
  const subscribing = streamUrl === undefined ? "" : `${subscribe(streamUrl)}\n`;
  const { address, privateKey } = exampleWallet;
  const { port } = new URL(baseUrl);

  const places = chains?.map(({ chain, url }) => `${chain} ${new URL(url).port}`).join(" · ");
  const solLine =
    sol === undefined
      ? ""
      : `           sol ${new URL(sol.url).port}   stand-ins of Raydium and Pump, new at each start\n`;
  const publicKeys =
    sol === undefined
      ? "its key is public: never use it elsewhere"
      : `${exampleSolWallet.address} on sol
           their keys are public: never use them elsewhere`;
  const trading =
    chains === undefined
      ? ""
      : `chains     ${places}   real Uniswap contracts, test money
${solLine}wallet     ${address} of ${user}, 100 coins on each chain
           ${publicKeys}
try        npm run -s trade:demo${port === "3000" ? "" : ` -- --port ${port}`}
           buys and sells on each chain, and checks that all results agree to the last unit
           with${port === "3000" ? " --" : ""} --resting, also fires resting orders of each type
`;
  const { moon, taxd, trap, star } = localAddresses;
  const solTokens = Object.entries(sol?.tokens ?? {}).map(([symbol, mint]) => `SOL_${symbol}=${mint}`);
  const solBuy = { chain: "sol", wallet: "$SOL_W", side: "buy", token: "$SOL_MOON", amount: "0.5" };
  const buy = { chain: "$CHAIN", wallet: "$W", side: "buy", token: "$MOON", amount: "0.5" };
  const sell = { chain: "eth", wallet: "$W", side: "sell", token: "$MOON", percent: 100 };
  // Rests below the price, and ends soon: a local chain makes blocks while orders rest there.
  const limit = { ...buy, type: "limit", chain: "eth", price: "0.00009", expiresInSeconds: 600 };
  const importing =
    chains === undefined ? `${post("/storeWallet_v2", { network: "eth", privateKey })}\n` : "";
  const tryingSol =
    sol === undefined
      ? ""
      : `${get("/api/v2/tokens?chain=sol")}
${get("/api/v2/tokens/sol/$SOL_TRAP")}
${get("/api/v2/tokens/sol/$SOL_FEEZ")}
${post("/api/v2/quotes", solBuy)}
${order(solBuy)}
`;
  const trying =
    chains === undefined
      ? ""
      : `W=${address} MOON=${moon} TAXD=${taxd} TRAP=${trap} STAR=${star}
${solTokens.length === 0 ? "" : `SOL_W=${exampleSolWallet.address}\n${solTokens.join(" ")}\n`}${get("/api/v2/tokens?chain=eth")}
${get("/api/v2/tokens/eth/$TRAP")}
${get("/api/v2/tokens/eth/$TAXD")}
${get("/api/v2/balances?chain=eth&wallet=$W")}
for CHAIN in ${chains.map(({ chain }) => chain).join(" ")}; do ${post("/api/v2/quotes", buy)}; done
${post("/api/v2/quotes", { ...buy, chain: "eth", token: "$STAR" })}
${order({ ...buy, chain: "eth" })}
${tryingSol}sleep 5
${get("/api/v2/positions?chain=eth")}
${order(sell)}
sleep 5
${get("/api/v2/orders?limit=2")}
${order(limit)}
${get("/api/v2/orders?status=resting")}
`;

  return `
base_url   ${baseUrl}
${stream}console    ${baseUrl}/console/
docs       ${baseUrl}/docs/
data       ${dataDir ?? "in memory"}
logs       ${dataDir === undefined ? "not kept" : join(dataDir, "logs")}
${trading}token      for ${user}, valid for ${expiresInSeconds / 60} minutes
           another: npm run -s token -- --user ${user} --port ${port}

TOKEN=${token}

${importing}${get("/listWallets")}
${post("/updateTradingSettings/eth", { slippage: 1.5, gasPreset: "fast" })}
${get("/getUserData")}
${get("/getUserData?type=ref")}
${get("/api/waitlist/v2/rewards")}
${trying}${subscribing}
Ctrl-C stops everything.
`;
}

/** Prints each message until Ctrl-C. Uses the package ws, because Node 20 has no WebSocket. */
function subscribe(streamUrl: string): string {
  const message = JSON.stringify({ type: "subscribe", channels: ["prices"] });
  const script = [
    `const socket = new (require("ws"))("${streamUrl}", ["access_token", process.argv[1]]);`,
    `socket.on("open", () => socket.send(${JSON.stringify(message)}));`,
    'socket.on("message", (data) => console.log(String(data)));',
  ];
  return `node -e '${script.join(" ")}' "$TOKEN"`;
}
