import { join } from "node:path";

/** The well-known key of the first account of Hardhat and Anvil. */
const WELL_KNOWN_KEY = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";

export type Welcome = {
  baseUrl: string;
  /** Undefined without a WebSocket API. */
  streamUrl: string | undefined;
  user: string;
  token: string;
  expiresInSeconds: number;
  /** The folder of data, keys and logs. Undefined if nothing is kept. */
  dataDir: string | undefined;
};

/** The first text that a newcomer reads. The lines from TOKEN= on work when pasted into a shell. */
export function welcome({ baseUrl, streamUrl, user, token, expiresInSeconds, dataDir }: Welcome): string {
  const get = (path: string) => `curl -sw '\\n' -H "Authorization: Bearer $TOKEN" '${baseUrl}${path}'`;
  const post = (path: string, body: object) =>
    `${get(path)} -H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`;
  const stream = streamUrl === undefined ? "" : `stream_url ${streamUrl}\n`;
  const subscribing = streamUrl === undefined ? "" : `${subscribe(streamUrl)}\n`;

  return `
base_url   ${baseUrl}
${stream}data       ${dataDir ?? "in memory"}
logs       ${dataDir === undefined ? "not kept" : join(dataDir, "logs")}
token      for ${user}, valid for ${expiresInSeconds / 60} minutes
           another: npm run -s token -- --user ${user} --port ${new URL(baseUrl).port}

TOKEN=${token}

${post("/storeWallet_v2", { network: "eth", privateKey: WELL_KNOWN_KEY })}
${get("/listWallets")}
${post("/updateTradingSettings/eth", { slippage: 1.5, gasPreset: "fast" })}
${get("/getUserData")}
${get("/getUserData?type=ref")}
${get("/api/waitlist/v2/rewards")}
${subscribing}
Ctrl-C stops everything.
`;
}

/** Prints each message until Ctrl-C. Uses the package ws, since Node 20 has no WebSocket of its own. */
function subscribe(streamUrl: string): string {
  const message = JSON.stringify({ type: "subscribe", channels: ["prices"] });
  const script = [
    `const socket = new (require("ws"))("${streamUrl}", ["access_token", process.argv[1]]);`,
    `socket.on("open", () => socket.send(${JSON.stringify(message)}));`,
    'socket.on("message", (data) => console.log(String(data)));',
  ];
  return `node -e '${script.join(" ")}' "$TOKEN"`;
}
