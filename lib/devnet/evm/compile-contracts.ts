import { globSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const require = createRequire(import.meta.url);

/**
 * A contract's bytecode as hex. `creation` deploys the contract, with its arguments appended. `runtime` is the deployed
 * code.
 */
export type Bytecode = { creation: string; runtime: string };

type Artifact = Record<"bytecode" | "deployedBytecode", { object: string }>;

type Output = {
  errors?: { formattedMessage: string }[];
  contracts?: Record<string, Record<string, { evm: Artifact }>>;
};

const settings = {
  evmVersion: "cancun",
  optimizer: { enabled: true, runs: 200 },
  // Leaves out metadata, which would make the bytecode depend on comments.
  metadata: { appendCBOR: false, bytecodeHash: "none" },
  outputSelection: { "*": { "*": ["evm.bytecode.object", "evm.deployedBytecode.object"] } },
};

/**
 * Lists the folders with Solidity code. The `bytecode.json` of each folder has the bytecode of its contracts by name.
 */
const contractFolders = (root: string) =>
  globSync(["lib/*/{,**/}contracts/bytecode.json", "test/**/contracts/bytecode.json"], { cwd: root })
    .map((path) => dirname(path))
    .toSorted();

/**
 * Compiles the contracts of all folders that have a `bytecode.json`.
 *
 * @param root Root folder of the repository.
 * @returns the text of each folder's bytecode.json, by its path
 * @throws Error if the compiler reports errors or warnings
 */
export function compileContracts(root: string): Map<string, string> {
  // Loads the compiler only here, because this takes half a second.
  const solc = require("solc") as { compile(input: string): string };
  const folders = contractFolders(root);
  const paths = folders.flatMap((folder) => globSync(`${folder}/*.sol`, { cwd: root })).toSorted();
  const sources = Object.fromEntries(
    paths.map((path) => [path, { content: readFileSync(join(root, path), "utf8") }]),
  );
  const input = { language: "Solidity", sources, settings };
  const { errors = [], contracts = {} } = JSON.parse(solc.compile(JSON.stringify(input))) as Output;
  if (errors.length > 0) throw new Error(errors.map(({ formattedMessage }) => formattedMessage).join("\n"));
  return new Map(
    folders.map((folder) => {
      const inFolder = Object.entries(contracts).filter(([path]) => dirname(path) === folder);
      const bytecodes = inFolder.flatMap(([, ofFile]) =>
        Object.entries(ofFile).map(([name, { evm }]) => [name, bytecodeOf(evm)] as const),
      );
      return [`${folder}/bytecode.json`, `${JSON.stringify(Object.fromEntries(bytecodes), null, 2)}\n`];
    }),
  );
}

const bytecodeOf = ({ bytecode, deployedBytecode }: Artifact): Bytecode => ({
  creation: `0x${bytecode.object}`,
  runtime: `0x${deployedBytecode.object}`,
});
