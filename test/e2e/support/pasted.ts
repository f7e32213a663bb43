import { readFileSync } from "node:fs";
import { withAddresses } from "../../../lib/tools/documents/local-addresses.ts";
import { main as price } from "../../../lib/tools/runner/price.ts";
import { main as token } from "../../../lib/tools/runner/token.ts";
import { requestOf } from "../../support/curl-requests.ts";
import { pages as allPages } from "../../tools/documents/markdown.ts";
import { stdioForTests } from "../../tools/runner/support/stdio.ts";
import { outcomeOfAdmin } from "./admin.ts";
import { deployment, localRunner } from "./deployment.ts";
import { type Outcome, type Programs, runShell } from "./shell.ts";
import { keepAnswer, noteSecretsIn } from "./written.ts";

/** A block of shell commands in a document. */
export type Block = { page: string; line: number; commands: string };

/** Kinds of blocks that tests do not run. All other blocks must work exactly as written. */
export const exempt: readonly { reason: string; has: RegExp }[] = [
  { reason: "installs, builds or tests the project", has: /^(npm ci|npx vitest|npm pack)\b/m },
  { reason: "starts a runner", has: /^npm (start|run dev)\b/m },
  { reason: "needs an AWS account", has: /^(npx cdk|npm run deploy|aws|BASE_URL=https:)|--stack \w/m },
  { reason: "installs a package from the registry", has: /^npx -y / },
  {
    reason: "needs the file of a program key, and other tests run the bots by one",
    has: /^export KEY_FILE=/m,
  },
  { reason: "pays on Solana's mainnet", has: /^solana / },
  { reason: "needs hosts of real chains", has: /^npm run hosts -- --chain/ },
  { reason: "calls all hosts for seconds, and test/tools/hosts runs it", has: /^npm run hosts -- --local/ },
  { reason: "takes a minute, and test/e2e/local/verify.test.ts runs it", has: /^npm run verify -- --local/ },
];

/** Blocks that run until Ctrl-C, with the output that proves that they work. */
export const endless: readonly { has: RegExp; prints: RegExp }[] = [
  { has: /new WebSocket\(/, prints: /"source":"simulated"/ },
];

/** Error responses that the text around an example announces. */
const announced: readonly { path: RegExp; code: string }[] = [
  { path: /\/orders\/\w+\/cancel$/, code: "ORDER_NOT_CANCELLABLE" },
];

/** Documents for readers of this repository. */
export const pages = allPages.filter((page) => !page.startsWith("lib/"));

/** Lists the shell blocks of a page, without the indentation of lists. */
export function shellBlocks(page: string): Block[] {
  const text = readFileSync(page, "utf8");
  return [...text.matchAll(/^( *)```(?:bash|sh)\n(.*?)^\1```$/gms)].map(
    ({ 1: indent = "", 2: commands = "", index }) => ({
      page,
      line: text.slice(0, index).split("\n").length,
      commands: commands.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
    }),
  );
}

/** Port of the chain eth in documents. The other chains use the ports after it. */
const usualChainPort = 8545;

/** Makes commands use the addresses of the local runner. */
function readdressed(commands: string): string {
  const { baseUrl, streamUrl } = deployment();
  const { chainPort } = localRunner();
  const ports = { port: Number(new URL(baseUrl).port), streamPort: Number(new URL(streamUrl).port) };
  // Replaces all ports at once: in sequence, a new port could be mistaken for a documented one.
  return commands
    .split(/(127\.0\.0\.1:85\d\d)\b/)
    .map((part, index) =>
      index % 2 === 0
        ? withAddresses(part, ports)
        : `127.0.0.1:${Number(part.slice(-4)) - usualChainPort + chainPort}`,
    )
    .join("");
}

/** Runs blocks of commands in sequence in one shell, exactly as written. @returns the failures of their requests. */
export async function runBlocks(blocks: readonly Block[]): Promise<string[]> {
  const failures: string[] = [];
  const programs = {
    npm,
    async curl(args: string[]): Promise<Outcome> {
      const { method, url, headers, body } = requestOf(args);
      noteSecretsIn({ head: headers, body });
      const pairs = headers.map((header) => header.split(": ") as [string, string]);
      const answer = await fetch(url, { method, headers: pairs, ...(body !== undefined && { body }) });
      const text = await answer.text();
      keepAnswer(text);
      const refused = !answer.ok || /"success":false|"error":/.test(text);
      if (refused && !announced.some(({ path, code }) => path.test(url) && text.includes(code)))
        failures.push(`${method} ${url}: ${answer.status} ${text}`);
      return { status: 0, output: `${text}\n` };
    },
  };
  const ending = blocks.filter(({ commands }) => !endless.some(({ has }) => has.test(commands)));
  const marked = ending.map(
    ({ page, line, commands }) => `echo "${page}:${line}" >&2\n${readdressed(commands)}`,
  );
  await runShell(marked.join("\n"), { programs });
  for (const { commands } of blocks)
    for (const { prints } of endless.filter(({ has }) => has.test(commands)))
      await runShell(readdressed(commands), { programs, until: prints });
  return failures;
}

const mains: Programs = {
  admin: outcomeOfAdmin,
  price: (args) => printed((stdio) => price(args, stdio)),
  token: (args) => printed((stdio) => token(args, stdio)),
};

/** Runs a script of this project in this process, which is faster. */
async function npm([run, ...rest]: string[]): Promise<Outcome> {
  const [name = "", dashes, ...args] = rest.filter((each) => each !== "-s");
  const main = mains[name];
  if (run !== "run" || dashes !== "--" || main === undefined)
    throw new Error(`The blocks may not run npm ${[run, ...rest].join(" ")}`);
  return main(args);
}

async function printed(main: (stdio: ReturnType<typeof stdioForTests>) => Promise<number>): Promise<Outcome> {
  const stdio = stdioForTests();
  const status = await main(stdio);
  return { status, output: status === 0 ? stdio.printed.out : stdio.printed.err };
}
