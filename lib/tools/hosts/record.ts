import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Address, getCompiledTransactionMessageDecoder } from "@solana/web3.js";
import { isHostError } from "../../chains/hosts/host-fault.ts";
import { type RpcCall, thenRead } from "../../chains/hosts/rpc-call.ts";
import type { RpcHost } from "../../chains/hosts/rpc-host.ts";
import { cpmmProgram } from "../../chains/sol/calls/cpmm-addresses.ts";
import { signaturesCall } from "../../chains/sol/calls/past-calls.ts";
import { pumpPrograms } from "../../chains/sol/calls/pump-addresses.ts";
import { landedCall } from "../../chains/sol/calls/transaction-call.ts";
import { jupiterProgram } from "../../chains/sol/venues/jupiter.ts";
import type { SwapByJupiter } from "../../chains/sol/venues/jupiter-venue.ts";

/** Instructions of exchanges whose landed transactions are kept, by the names that Anchor hashes. */
export const recordedInstructions: readonly (readonly [program: Address, names: readonly string[]])[] = [
  [jupiterProgram, ["route_v2", "shared_accounts_route_v2"]],
  [cpmmProgram, ["swap_base_input"]],
  [pumpPrograms.curve, ["buy_v2", "sell_v2", "buy_exact_quote_in_v2"]],
];

/** Number of a program's newest transactions among which its instructions are looked for. */
const mostTransactions = 200;

/** A file for tests without network, and its name. */
export type Recording = { file: string; content: object };

/** Returns the first 8 bytes of an instruction's data, in hex. */
export const discriminatorOf = (name: string): string =>
  createHash("sha256").update(`global:${name}`).digest("hex").slice(0, 16);

/** Keeps an answer of Jupiter as it was received, with the trade that was asked for. */
export const recordingOfBuild = (
  exchange: string,
  { amountIn, ...trade }: SwapByJupiter,
  helper: Address,
  answer: unknown,
): Recording => ({
  file: `build ${exchange} ${trade.side}.json`,
  content: { trade: { ...trade, amountIn: String(amountIn) }, helper, answer },
});

/** Asks for a program's newest transactions that succeeded. */
export const newestCall = (program: string, limit: number): RpcCall<string[]> =>
  thenRead(signaturesCall(program, { limit }), (listed) =>
    listed.filter(({ isFailed }) => !isFailed).map(({ id }) => id),
  );

type Host = Pick<RpcHost, "request">;

/** Finds a landed transaction for each instruction. Leaves out those that the host does not show. */
export async function recordLanded(host: Host): Promise<Recording[]> {
  const recordings: Recording[] = [];
  for (const [program, names] of recordedInstructions)
    try {
      for await (const each of landedOf(host, program, names)) recordings.push(each);
    } catch (error) {
      if (!isHostError(error)) throw error;
    }
  return recordings;
}

async function* landedOf(host: Host, program: Address, names: readonly string[]): AsyncGenerator<Recording> {
  const missing = new Map(names.map((name) => [discriminatorOf(name), name]));
  const [ids] = await host.request([newestCall(program, mostTransactions)]);
  for (const id of ids) {
    if (missing.size === 0) return;
    const [result] = await host.request([{ ...landedCall(id), read: (answer: unknown) => answer }]);
    for (const discriminator of discriminatorsIn(landedCall(id).read(result)?.bytes, program)) {
      const name = missing.get(discriminator);
      if (name === undefined || !missing.delete(discriminator)) continue;
      yield { file: `landed ${name}.json`, content: { name, program, id, result } };
    }
  }
}

/** Lists the discriminators of a program's own instructions in a transaction. */
function discriminatorsIn(bytes: Uint8Array | undefined, program: Address): string[] {
  if (bytes === undefined) return [];
  const message = bytes.subarray(1 + 64 * (bytes[0] ?? 0));
  const { staticAccounts, instructions } = getCompiledTransactionMessageDecoder().decode(message);
  return instructions
    .filter(({ programAddressIndex }) => staticAccounts[programAddressIndex] === program)
    .map(({ data = [] }) => Buffer.from(data.slice(0, 8)).toString("hex"));
}

/** Writes recordings into a folder, and returns lines that name them and what is missing. */
export function keepRecordings(folder: string, recordings: readonly Recording[]): string[] {
  mkdirSync(folder, { recursive: true });
  for (const { file, content } of recordings)
    writeFileSync(join(folder, file), `${JSON.stringify(content, null, 2)}\n`);
  const files = recordings.map(({ file }) => file);
  const wanted = recordedInstructions.flatMap(([, names]) => names.map((name) => `landed ${name}.json`));
  const missing = wanted.filter((file) => !files.includes(file));
  return [
    `Recorded in ${folder}: ${files.join(", ") || "nothing"}`,
    ...(missing.length === 0 ? [] : [`Missing: ${missing.join(", ")}`]),
  ];
}
