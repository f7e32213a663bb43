import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Folder of the documents at the service's address, without a final slash. */
export const docsPath = "/docs";

/** Path where agents look for the list of pages, which is also in the folder. */
export const llmsPath = "/llms.txt";

const folder = join(import.meta.dirname, "../../docs");

/** Documents that describe the API for machines. */
const descriptions = ["openapi.json", "asyncapi.json"];

/** Pages for authors of programs, in the order in which to read them. The others are optional. */
const forPrograms = [
  "clients.md",
  "agents.md",
  "api.md",
  "trading.md",
  "wallets.md",
  "markets.md",
  "streams.md",
  "plans.md",
  "rewards.md",
];

/** Returns the documents for programs by file name: each page of the docs as Markdown, llms.txt, and descriptions. */
export function docsPages(): Map<string, string> {
  const names = readdirSync(folder)
    .filter((name) => name.endsWith(".md"))
    .toSorted();
  const served = new Set([...names, ...descriptions]);
  const read = (name: string) => readFileSync(join(folder, name), "utf8");
  const pages = new Map(names.map((name) => [name, withoutDeadLinks(read(name), served)]));
  return new Map([
    ...pages,
    ...descriptions.map((name) => [name, read(name)] as const),
    ["llms.txt", llmsText(pages)],
  ]);
}

/** Replaces links to files that are not served, and pictures, by their texts. */
const withoutDeadLinks = (text: string, served: ReadonlySet<string>) =>
  text.replaceAll(/!?\[((?:[^\][]|\[[^\]]*\])*)\]\(([^)\s]+)\)/g, (link, shown: string, target: string) =>
    /^(#|[a-z]+:)/.test(target) || served.has(target.replace(/#.*/, "")) ? link : shown,
  );

/** Lists all pages in the form that llmstxt.org describes. */
function llmsText(pages: ReadonlyMap<string, string>): string {
  const item = ([name, page]: readonly [string, string]) => {
    const [, title = name] = /^# (.+)$/m.exec(page) ?? [];
    return `- [${title}](${docsPath}/${name}): ${firstSentence(page)}`;
  };
  const [first = [], others = []] = [true, false].map((wanted) =>
    [...pages].filter(([name]) => forPrograms.includes(name) === wanted),
  );
  return `# Trading terminal

> A REST API and a WebSocket to trade tokens on Ethereum, Base, BNB Smart Chain, Avalanche and Solana, with wallets whose private keys the service keeps sealed.

Amounts and prices are decimal text, never numbers.
Orders take an Idempotency-Key, so that a repeated request never trades twice.

## For programs

${first.toSorted(byOrder).map(item).join("\n")}
- [openapi.json](${docsPath}/openapi.json): Describes the REST API for machines.
- [asyncapi.json](${docsPath}/asyncapi.json): Describes the messages of the stream for machines.

## Optional

${others.map(item).join("\n")}
`;
}

const byOrder = ([a]: readonly [string, string], [b]: readonly [string, string]) =>
  forPrograms.indexOf(a) - forPrograms.indexOf(b);

/** Returns the first sentence of prose on a page, without its links. */
function firstSentence(page: string): string {
  const prose = page.replaceAll(/^```.*?^```$/gms, "").split("\n");
  const line = prose.find((each) => /^[\w`[*]/.test(each)) ?? "";
  return line.replaceAll(/\[([^\]]+)\]\([^)]+\)/g, "$1");
}
