import { readdirSync } from "node:fs";
import { resolve } from "node:path";
import { type Site, synthesize } from "cdk-local-runner";
import { root } from "../../infra/functions/bundle.ts";

/** `aud` claim of local tokens. */
export const AUDIENCE = "trading-terminal";

/** Client as which pages sign users in at the local issuer. */
export const CLIENT_ID = "console";

/** Folders of lib that neither the stacks nor the handlers import as a whole. */
const others = new Set(["client", "console", "devnet", "local", "mcp", "tools"]);

/** The files from which the console is built. */
const consoleSources = [
  "lib/client",
  ...["app", "build.ts", "icon.svg", "index.html", "manifest.json"].map((name) => `lib/console/${name}`),
];

/**
 * Configuration files that affect the synthesized stacks. The second lock file, which npm writes, lists the installed
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
 * Lists everything that the assembly depends on. An unnecessary file only costs a synthesis, but a missing file would
 * leave old code running. The documents are missing, because the runner serves its own.
 */
export const sources = [
  "bin",
  "functions",
  ...readdirSync(resolve(root, "lib"))
    .filter((name) => !others.has(name))
    .map((name) => `lib/${name}`),
  ...consoleSources,
  ...configurationFiles,
];

/**
 * Synthesizes the stacks for this machine.
 * @returns the folder of the assembly
 */
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
      consoleClientId: CLIENT_ID,
      consoleScope: "openid offline_access",
      consoleDocs: "/docs/",
      // Needs no wait, because the local runner accepts a new API key at once.
      keyGraceSeconds: 0,
      // Creates only as many keys as can be made within five seconds.
      fallbackKeys: 20,
      // Accepts a cookie without the prefix `__Host-`, for simple clients and tests. No other host of the site sets
      // cookies.
      bareCookie: true,
      // Requires no fresh sign-in for large losses, because trial orders may empty the small local pools.
      lossSignIn: false,
      walletExport: true,
      devices: true,
      // Delays an export long enough for people to see it waiting.
      exportDelaySeconds: 10,
      ...context,
    },
  });
  return folder;
}
