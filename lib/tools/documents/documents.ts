import { join } from "node:path";
import { parseArgs } from "node:util";
import { evmChains } from "../../core/chain-facts.ts";
import { asyncApiDocument } from "./asyncapi.ts";
import { costParts, type Deployments } from "./bill.ts";
import type { CostTemplate } from "./billed-resources.ts";
import type { Documents } from "./client-types/openapi-source.ts";
import { functionsPage } from "./functions-page.ts";
import { methodLimits } from "./method-limits.ts";
import { methodList } from "./method-list.ts";
import { openApiDocument } from "./openapi.ts";
import { architecturePicture } from "./pictures/architecture.ts";
import { dashboardPicture } from "./pictures/dashboard.ts";
import { plotFiles } from "./pictures/plots.ts";
import { siteFiles } from "./site/site.ts";
import { tablePage } from "./table-page.ts";
import { takeoverTable } from "./takeover-table.ts";
import { scaleParts } from "./walls.ts";

const json = (document: object) => `${JSON.stringify(document, null, 2)}\n`;

/** Files that are not committed. `npm run build:client` and `npm ci` generate them from the API's documents. */
const clientTypes: Record<string, () => Promise<string>> = {
  "lib/client/openapi.ts": async () => (await generator()).openapiSource(clientDocuments()),
  "lib/client/methods.ts": async () => (await generator()).methodsSource(clientDocuments()),
};

/** Loads TypeScript 5 only when needed. */
const generator = () => import("./client-types/openapi-source.ts");

const clientDocuments = () =>
  ({ openapi: openApiDocument(), asyncapi: asyncApiDocument() }) as unknown as Documents;

/** Makes each document. If only a part is generated, the rest comes from the existing text. */
const documents: Record<string, (present: () => string) => string | Promise<string>> = {
  "docs/openapi.json": () => json(openApiDocument()),
  "docs/asyncapi.json": () => json(asyncApiDocument()),
  "docs/functions.md": functionsPage,
  "docs/table.md": tablePage,
  "docs/pictures/architecture.svg": architecturePicture,
  "docs/SECURITY.md": (present) =>
    withGeneratedPart(present(), "lib/tools/documents/takeovers.ts", takeoverTable()),
  "docs/clients.md": (present) => withGeneratedPart(present(), "docs/openapi.json", methodList()),
  "docs/plans.md": (present) => withGeneratedPart(present(), "lib/plans/method-throttles.ts", methodLimits()),
  "docs/scale.md": (present) => withBill(present(), scaleParts()),
  ...clientTypes,
};

const hosts = ["https://one.example", "https://two.example"];

const tradingOnAll = {
  trading: evmChains,
  chains: Object.fromEntries(evmChains.map((chain) => [chain, { hosts }])),
  // Keeps the warning of alarms without a topic out of the output.
  alarmTopicArn: "arn:aws:sns:us-east-1:111111111111:alarms",
};

/** Contexts of the deployments of which docs/costs.md has the costs. */
const billedContexts = {
  defaults: {},
  trading: { ...tradingOnAll, markets: false },
  markets: { ...tradingOnAll, earning: {} },
} satisfies Record<keyof Deployments, object>;

/** Reads the templates of these deployments. */
export const deployments = (
  templates: (context: Record<string, unknown>) => readonly CostTemplate[],
): Deployments => ({
  defaults: templates(billedContexts.defaults),
  trading: templates(billedContexts.trading),
  markets: templates(billedContexts.markets),
});

/** Makes the documents that depend on the stacks, by their paths. */
export const stackDocuments = (
  templates: Deployments,
  read: (path: string) => string,
): Record<string, string> => ({
  "docs/costs.md": withBill(read("docs/costs.md"), costParts(templates)),
  "docs/pictures/dashboard.svg": dashboardPicture(templates.markets),
});

const withBill = (present: string, parts: Record<string, string>) =>
  Object.entries(parts).reduce(
    (text, [name, part]) => withGeneratedPart(text, `lib/tools/documents/assumptions.ts: ${name},`, part),
    present,
  );

type Deps = {
  read: (path: string) => string;
  /** Writes a file, and creates missing folders. */
  write: (path: string, content: string | Buffer) => void;
  warn: (line: string) => void;
  /** Synthesizes the stacks with this context, which takes some seconds. */
  templates: (context: Record<string, unknown>) => CostTemplate[];
};

/**
 * Generates the documents from the table of operations, the schemas and the layout of the table. With --check, writes
 * nothing and warns about outdated documents, except those of the stacks, which their tests check. With --site, writes
 * only the reference pages to a folder.
 *
 * @returns the exit code
 */
export async function main(argv: readonly string[], { read, write, warn, templates }: Deps): Promise<number> {
  const options = {
    check: { type: "boolean" },
    site: { type: "string" },
  } as const;
  const { check, site } = parseArgs({ args: [...argv], options }).values;
  if (site !== undefined) {
    for (const [name, { body }] of siteFiles()) write(join(site, name), body);
    return 0;
  }
  const current = await Promise.all(
    Object.entries(documents).map(async ([path, make]) => ({ path, text: await make(() => read(path)) })),
  );
  if (!check) {
    for (const { path, text } of current) write(path, text);
    for (const [path, text] of Object.entries(stackDocuments(deployments(templates), read)))
      write(path, text);
  }
  // Plots come last, because they show the tables of documents.
  const plots = plotFiles(read);
  if (!check) for (const { path, text } of plots) write(path, text);
  const stale = check ? [...current, ...plots].filter(({ path, text }) => read(path) !== text) : [];
  for (const { path } of stale) warn(`${path} is out of date; run npm run documents`);
  return stale.length > 0 ? 1 : 0;
}

/**
 * Replaces the part of a document between two markers.
 *
 * @param source File from which the part is generated. The first marker names it.
 * @throws {Error} if the document lacks these markers
 */
function withGeneratedPart(document: string, source: string, part: string): string {
  const start = `<!-- Generated from ${source} by npm run documents -->`;
  const end = "<!-- End -->";
  const [before, rest] = document.split(start);
  const after = rest?.slice(rest.indexOf(end) + end.length);
  if (before === undefined || rest === undefined || !rest.includes(end))
    throw new Error(`A document lacks the markers of the part from ${source}`);
  return [before, start, "\n\n", part, "\n\n", end, after].join("");
}
