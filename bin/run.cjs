const { spawn } = require("node:child_process");
const { existsSync } = require("node:fs");
const { enableCompileCache } = require("node:module");
const { join } = require("node:path");

/**
 * Runs a program, here or in the Node of npm scripts if this one is too old for TypeScript. For the older one to get this far,
 * the files of this folder are CommonJS without types and without static imports: Node 20 parses them as JavaScript.
 */
module.exports = function run(program) {
  if (process.features.typescript) {
    // Keeps what Node makes of the sources, so that later starts take half the time.
    enableCompileCache(join(__dirname, "../node_modules/.cache/node"));
    return program();
  }
  const node = join(__dirname, "../node_modules/.bin/node");
  if (!existsSync(node)) {
    console.error(
      `Node ${process.versions.node} is too old for this program. Run npm ci, which installs or looks for Node 24.`,
    );
    process.exit(1);
  }
  const child = spawn(node, process.argv.slice(1), { stdio: "inherit" });
  child.on("exit", (code) => process.exit(code ?? 1));
  // Ctrl-C reaches the child as well; this process has to stay until the child has stopped.
  process.on("SIGINT", () => {});
  for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
};
