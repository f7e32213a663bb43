import { registerHooks } from "node:module";

const worker = globalThis as { importedSources?: Set<string> };

/**
 * Tells Vitest of the first import of each source alone. Its own hook sends a message for each import, and Vitest needs
 * the others only to watch. Being registered later, this hook runs before that one.
 */
function tellFirstImports(): Set<string> {
  const sources = new Set<string>();
  registerHooks({
    resolve(specifier, context, next) {
      const { parentURL } = context;
      if (parentURL === undefined || !/^\.\.?\/.*\.tsx?$/.test(specifier)) return next(specifier, context);
      const { href } = new URL(specifier, parentURL);
      if (sources.has(href)) return { url: href, shortCircuit: true };
      sources.add(href);
      return next(specifier, context);
    },
  });
  return sources;
}

// A set-up file runs again for each test file.
if (process.env.VITEST_MODE === "RUN") worker.importedSources ??= tellFirstImports();
