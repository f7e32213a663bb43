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
  sol: { url: string } | undefined;
};

/** Writes the text that newcomers read first, which fits a screen. Programs read `base_url`, `stream_url` and `TOKEN`. */
export function welcome(service: Welcome): string {
  const { baseUrl, streamUrl, user, token, expiresInSeconds, dataDir } = service;
  const { port } = new URL(baseUrl);
  return [
    "",
    line("console", `${baseUrl}/console/   offers "Continue as ${user}"`),
    line("docs", `${baseUrl}/docs/`),
    line("base_url", baseUrl),
    ...(streamUrl === undefined ? [] : [line("stream_url", streamUrl)]),
    line("data", dataDir ?? "in memory"),
    ...tradingLines(service),
    "",
    `TOKEN=${token}`,
    `curl -sw '\\n' -H "Authorization: Bearer $TOKEN" ${baseUrl}/listWallets`,
    "",
    `The token is for ${user}, for ${expiresInSeconds / 60} minutes. Another: npm run -s token -- --user ${user} --port ${port}`,
    "More to paste is in docs/local.md. Ctrl-C stops everything.",
    "",
  ].join("\n");
}

function tradingLines({ baseUrl, user, chains, sol }: Welcome): string[] {
  if (chains === undefined) return [];
  const { port } = new URL(baseUrl);
  const places = [...chains, ...(sol === undefined ? [] : [{ chain: "sol", url: sol.url }])].map(
    ({ chain, url }) => `${chain} ${new URL(url).port}`,
  );
  return [
    line("chains", `${places.join(" · ")}, with test money`),
    line("wallet", `${exampleWallet.address} of ${user}, 100 coins on each chain`),
    ...(sol === undefined ? [] : [line("", `${exampleSolWallet.address} on sol`)]),
    line("", "its private key is public: never use it elsewhere"),
    line("try", `npm run -s trade:demo${port === "3000" ? "" : ` -- --port ${port}`}   trades on each chain`),
  ];
}

const line = (name: string, text: string) => `${name.padEnd(11)}${text}`;
