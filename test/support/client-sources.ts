import { registerHooks } from "node:module";

const client = new URL("../../lib/client/", import.meta.url);
const exported = /^trading-terminal-client(?:\/(?<subpath>\w+))?$/;

// Resolves the client's package to its sources, so that no test runs an outdated build.
registerHooks({
  resolve(specifier, context, next) {
    const found = exported.exec(specifier);
    if (found === null) return next(specifier, context);
    const { subpath } = found.groups ?? {};
    return next(new URL(subpath === undefined ? "index.ts" : `${subpath}/index.ts`, client).href, context);
  },
});
