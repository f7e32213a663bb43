import { join } from "node:path";

/** The first account of Hardhat and Anvil: a key that everybody knows. */
const WELL_KNOWN_KEY = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";

export type Welcome = {
  baseUrl: string;
  /** Undefined when nothing can be streamed. */
  streamUrl: string | undefined;
  user: string;
  token: string;
  /** Seconds. */
  expiresIn: number;
  /** Where data, keys and logs are; undefined: nowhere. */
  dataDir: string | undefined;
};

/** What a newcomer reads. From TOKEN= on, the lines work as they are pasted into a shell. */
export function welcome({ baseUrl, streamUrl, user, token, expiresIn, dataDir }: Welcome): string {
  const get = (path: string) => `curl -sw '\\n' -H "Authorization: Bearer $TOKEN" '${baseUrl}${path}'`;
  const post = (path: string, body: object) =>
    `${get(path)} -H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`;
  const stream = streamUrl === undefined ? "" : `stream_url ${streamUrl}\n`;
  const listening = streamUrl === undefined ? "" : `${subscribe(streamUrl)}\n`;

  return `
base_url   ${baseUrl}
${stream}data       ${dataDir ?? "in memory"}
logs       ${dataDir === undefined ? "not kept" : join(dataDir, "logs")}
token      for ${user}, good for ${expiresIn / 60} minutes
           another: npm run -s token -- --user ${user} --port ${new URL(baseUrl).port}

TOKEN=${token}

${post("/storeWallet_v2", { network: "eth", privateKey: WELL_KNOWN_KEY })}
${get("/listWallets")}
${post("/updateTradingSettings/eth", { slippage: 1.5, gasPreset: "fast" })}
${get("/getUserData")}
${get("/getUserData?type=ref")}
${get("/api/waitlist/v2/rewards")}
${listening}
Ctrl-C stops everything.
`;
}

/** Prints what comes, until Ctrl-C. Node's own WebSocket would do as well, but Node 20 has none. */
function subscribe(streamUrl: string): string {
  const message = JSON.stringify({ type: "subscribe", channels: ["prices"] });
  const script = [
    `const socket = new (require("ws"))("${streamUrl}", ["access_token", process.argv[1]]);`,
    `socket.on("open", () => socket.send(${JSON.stringify(message)}));`,
    'socket.on("message", (data) => console.log(String(data)));',
  ];
  return `node -e '${script.join(" ")}' "$TOKEN"`;
}
