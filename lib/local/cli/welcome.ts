import { join } from "node:path";

/** The first account of Hardhat and Anvil: a key that everybody knows. */
const WELL_KNOWN_KEY = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";

export type Welcome = {
  baseUrl: string;
  user: string;
  token: string;
  /** Seconds. */
  expiresIn: number;
  /** Where data, keys and logs are; undefined: nowhere. */
  dataDir: string | undefined;
};

/** What a newcomer reads. From TOKEN= on, the lines work as they are pasted into a shell. */
export function welcome({ baseUrl, user, token, expiresIn, dataDir }: Welcome): string {
  const get = (path: string) => `curl -sw '\\n' -H "Authorization: Bearer $TOKEN" '${baseUrl}${path}'`;
  const post = (path: string, body: object) =>
    `${get(path)} -H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`;

  return `
base_url  ${baseUrl}
data      ${dataDir ?? "in memory"}
logs      ${dataDir === undefined ? "not kept" : join(dataDir, "logs")}
token     for ${user}, good for ${expiresIn / 60} minutes
          another: npm run -s token -- --user ${user} --port ${new URL(baseUrl).port}

TOKEN=${token}

${post("/storeWallet_v2", { network: "eth", privateKey: WELL_KNOWN_KEY })}
${get("/listWallets")}
${post("/updateTradingSettings/eth", { slippage: 1.5, gasPreset: "fast" })}
${get("/getUserData")}
${get("/getUserData?type=ref")}
${get("/api/waitlist/v2/rewards")}

Ctrl-C stops everything.
`;
}
