/**
 * Lists slow tests that depend on few files. Each has a script in package.json that names these files, and wireit keeps
 * its result while they stay the same.
 */
export const keptFiles = [
  "lib/devnet/test/evm/compile-contracts.socket.test.ts",
  "test/client/package.socket.test.ts",
  "test/markets/evm/rules/model/model.test.ts",
  "test/markets/model/**/*.test.ts",
  "test/tools/runner/watch/watch.socket.test.ts",
  "test/trading/model/**/*.test.ts",
] as const;
