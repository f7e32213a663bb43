import { readdirSync } from "node:fs";
import { resolve } from "node:path";
import { type Site, synthesize } from "cdk-local-runner";

export const root = resolve(import.meta.dirname, "../../..");

/** The `aud` claim of local tokens. */
export const AUDIENCE = "trading-terminal";

/** Folders of lib that neither the stacks nor the handlers import. */
const others = new Set(["client", "console", "devnet", "local", "tools"]);

/**
 * Configuration files that change the synthesized stacks. npm writes the second lock file, which lists the installed
 * packages.
 */
export const configurationFiles = [
  "cdk.json",
  "package.json",
  "package-lock.json",
  "node_modules/.package-lock.json",
  "tsconfig.json",
] as const;

/**
 * Everything that the assembly depends on. An unneeded file only costs a synthesis; a missing one would leave old code
 * running.
 */
export const sources = [
  "bin",
  "functions",
  ...readdirSync(resolve(root, "lib"))
    .filter((name) => !others.has(name))
    .map((name) => `lib/${name}`),
  ...configurationFiles,
];

/** Synthesizes the stacks for this machine. @returns the folder of the assembly */
export async function synthesizeTerminal(
  { issuer, jwksUri, folder, reaper }: Site,
  context: Record<string, unknown>,
): Promise<string> {
  await synthesize({
    project: root,
    folder,
    reaper,
    sources,
    context: {
      issuer,
      audience: AUDIENCE,
      jwksUri,
      // The runner knows a new API key at once.
      keyGraceSeconds: 0,
      // Made within five seconds.
      fallbackKeys: 20,
      // Accepts a cookie without the prefix, for simple clients and tests. No other host of the site sets cookies here.
      bareCookie: true,
      // Needs no fresh sign-in for large losses, because trial orders may empty the small local pools.
      lossSignIn: false,
      walletExport: true,
      // Long enough to see that the export waits.
      exportDelaySeconds: 10,
      ...context,
    },
  });
  return folder;
}
