/**
 * `node test/infra/published/record.ts`: downloads the packages in which exchanges publish their contracts, and records
 * the values that the default chains use in published.json. The packages are not installed, because their dependencies
 * are large, and some state no licence. The record names the digest of each.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defaultChains } from "../../../lib/infra/default-chains.ts";

const ids = { eth: 1, base: 8453, bsc: 56, avax: 43_114 } as const;
const require = createRequire(import.meta.url);
const folder = mkdtempSync(join(tmpdir(), "published-"));

const integrities: Record<string, string> = {};

/** Downloads a package. Returns functions that read its files. */
function download(spec: string) {
  const archive = execFileSync("npm", ["pack", spec, "--silent", "--ignore-scripts"], {
    cwd: folder,
    encoding: "utf8",
  }).trim();
  const bytes = readFileSync(join(folder, archive));
  integrities[spec] = `sha512-${createHash("sha512").update(bytes).digest("base64")}`;
  execFileSync("tar", ["xzf", archive, "--one-top-level"], { cwd: folder });
  const root = join(folder, archive.replace(/\.tgz$/, ""), "package");
  return {
    text: (path: string) => readFileSync(join(root, path), "utf8"),
    load: (path: string) => require(join(root, path)),
  };
}

/** Reads the addresses in a list of the source, by the chain ids or chain names before them. */
function listIn(text: string, name: string): Record<string, string> {
  const [, list = ""] = text.match(new RegExp(`${name}(?: =|:) \\{([^}]*)\\}`)) ?? [];
  const entries = [...list.matchAll(/(?:ChainId\.)?(\w+)\]?: "(0x[\da-fA-F]{40})"/g)];
  return Object.fromEntries(entries.map(([, chain, address]) => [chain, address]));
}

type Contracts = Record<string, string | undefined>;
type Published = Record<string, Record<string, Contracts>>;

const uniswap = download("@uniswap/sdk-core@7.19.4").load("dist/cjs/src/addresses.js");
const pancakeV2 = listIn(
  download("@pancakeswap/v2-sdk@1.2.2").text("dist/constants.d.ts"),
  "FACTORY_ADDRESS_MAP",
);
const pancakeV3 = listIn(
  download("@pancakeswap/v3-sdk@3.10.2").text("dist/constants.d.ts"),
  "FACTORY_ADDRESSES",
);
const smart = download("@pancakeswap/smart-router@7.7.3");
const smartCode = smart.text("dist/chunk-545EKHJP.mjs");
const smartRouters = listIn(smart.text("dist/evm/constants/exchange.d.ts"), "SMART_ROUTER_ADDRESSES");
const smartQuoters = listIn(smart.text("dist/evm/constants/v3.d.ts"), "V3_QUOTER_ADDRESSES");
const v2Routers = listIn(smartCode, "V2_ROUTER_ADDRESS");
const lfj = download("@traderjoe-xyz/sdk-v2@3.0.21").text("dist/index.js");
const names = { eth: "ETHEREUM", base: "BASE", bsc: "BSC", avax: "AVALANCHE" } as const;

const venues: Published = Object.fromEntries(
  Object.entries(ids).map(([chain, id]) => {
    const v3 = uniswap.CHAIN_TO_ADDRESSES_MAP[id];
    const avalanche = (name: string) => listIn(lfj, name)[names.avax];
    const router = avalanche("LB_ROUTER_V22_ADDRESS");
    return [
      chain,
      {
        "uniswap-v2": { factory: uniswap.V2_FACTORY_ADDRESSES[id], router: uniswap.V2_ROUTER_ADDRESSES[id] },
        "uniswap-v3": {
          factory: v3.v3CoreFactoryAddress,
          router: uniswap.SWAP_ROUTER_02_ADDRESSES(id),
          // The package names eth's first quoter, which has other functions.
          ...(chain !== "eth" && { quoter: v3.quoterAddress }),
        },
        ...(chain !== "avax" && {
          "pancakeswap-v2": {
            factory: pancakeV2[id],
            router: v2Routers[names[chain as keyof typeof names]],
          },
          "pancakeswap-v3": { factory: pancakeV3[id], router: smartRouters[id], quoter: smartQuoters[id] },
        }),
        ...(chain === "avax" && {
          "lfj-v2.1": { factory: avalanche("LB_FACTORY_V21_ADDRESS"), router },
          "lfj-v2.2": { factory: avalanche("LB_FACTORY_V22_ADDRESS"), router },
        }),
      },
    ];
  }),
);

type Listed = { chainId: number; address: string; symbol: string; name: string; decimals: number };
const { tokens }: { tokens: Listed[] } = JSON.parse(
  download("@uniswap/default-token-list@22.21.0").text("build/uniswap-default.tokenlist.json"),
);
const pancakeTokens = ["bsc", "common"].map((file) =>
  download("@pancakeswap/tokens@0.9.1").text(`src/constants/${file}.ts`),
);
const ofPancake = [
  ...pancakeTokens.join().matchAll(/ChainId\.BSC,\s*'(0x\w{40})',\s*(\d+),\s*'([^']+)',\s*'([^']+)'/g),
].map(([, address = "", decimals, symbol = "", name = ""]) => ({
  ...{ chainId: ids.bsc, address, symbol, name, decimals: Number(decimals) },
}));

const extensions = download("@solana-program/token-2022@0.11.0")
  .text("src/generated/types/extensionType.ts")
  .match(/export enum ExtensionType \{([^}]*)\}/)?.[1]
  ?.split(",")
  .map((name) => name.trim())
  .filter((name) => name !== "");

const wanted = Object.values(defaultChains).flatMap(({ wrapped, tokens: listed, quoteTokens }) =>
  [wrapped, ...listed, ...quoteTokens].map(({ token }) => token.toLowerCase()),
);
const isWanted = ({ address }: Listed) => wanted.includes(address.toLowerCase());
const record = {
  integrities,
  venues,
  tokens: [...tokens, ...ofPancake]
    .filter(({ chainId }) => Object.values(ids).some((id) => id === chainId))
    .filter(isWanted)
    .map(({ chainId, address, symbol, name, decimals }) => ({ chainId, address, symbol, name, decimals })),
  extensions,
};
writeFileSync(join(import.meta.dirname, "published.json"), `${JSON.stringify(record, null, 2)}\n`);
