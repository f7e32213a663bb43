import { sign } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Address } from "@solana/web3.js";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { HostFault } from "../../../lib/chains/hosts/host-fault.ts";
import type { RpcCall } from "../../../lib/chains/hosts/rpc-call.ts";
import type { RpcHost } from "../../../lib/chains/hosts/rpc-host.ts";
import { cpmmProgram } from "../../../lib/chains/sol/calls/cpmm-addresses.ts";
import { solHost } from "../../../lib/chains/sol/calls/hosts.ts";
import { joinTransaction, signMessageAndWipe } from "../../../lib/chains/sol/messages/signed-message.ts";
import { newOrderId } from "../../../lib/chains/sol/messages/trial-messages.ts";
import { newHelper } from "../../../lib/chains/sol/venues/helper-keys.ts";
import { jupiterProgram } from "../../../lib/chains/sol/venues/jupiter.ts";
import { jupiterClient } from "../../../lib/chains/sol/venues/jupiter-client.ts";
import { buildQuestion, enforcing, jupiterVenue } from "../../../lib/chains/sol/venues/jupiter-venue.ts";
import type { AttemptTerms } from "../../../lib/chains/sol/venues/message-terms.ts";
import { keepRecordings, type Recording, recordLanded } from "../../../lib/tools/hosts/record.ts";
import { tryJupiterRoutes } from "../../../lib/tools/hosts/try-jupiter-routes.ts";
import { startTestJupiter, type TestJupiter } from "../../support/jupiter.ts";
import { solDeskForTests, solReaderOf } from "../../support/sol-reader.ts";
import { expectBuildIsAccepted, expectLandedIsRead } from "../../support/sol-recordings.ts";
import { buyTerms, messageOf } from "../../support/sol-terms.ts";

const { chain, hosts } = solDeskForTests();
let jupiter: TestJupiter;
beforeAll(async () => {
  jupiter = await startTestJupiter(chain);
});
afterAll(() => jupiter.close());

const open = async () => {
  const changes = { payer: chain.deployment.payer, jupiter: { url: jupiter.url } };
  const { configuration } = await solReaderOf(chain, [hosts[0]], changes);
  return { configuration, host: solHost(hosts[0].url, configuration.cluster) };
};

/** Buys MOON in a pool and by Jupiter. Returns the ids of both transactions. */
async function landed(): Promise<Record<"pool" | "jupiter", string>> {
  const { mint, program: tokenProgram, pool, config } = chain.deployment.tokens.MOON;
  const { address: wallet, seed } = await chain.newWallet();
  const { tip: _, ...terms } = buyTerms;
  const orderOf = async (orderId: string): Promise<AttemptTerms> => ({
    ...terms,
    wallet,
    orderId,
    mint,
    tokenProgram,
    minAmountOut: 1n,
    blockhash: await chain.latestBlockhash(),
    venue: { kind: "cpmm", pool, config },
  });
  async function send(message: Uint8Array, others: readonly Uint8Array[] = []): Promise<string> {
    const own = signMessageAndWipe(message, Uint8Array.from(seed));
    const { id, bytes } = joinTransaction(message, [own, ...others]);
    expect((await chain.send(Buffer.from(bytes).toString("base64"), id))?.meta.err).toBeNull();
    return id;
  }
  const inPool = await send(await messageOf(await orderOf(newOrderId())));
  const order = await orderOf(newOrderId());
  const { address, key } = newHelper();
  const swap = { ...order, decimals: 6 };
  const built = await jupiterClient({ url: jupiter.url }).build(await buildQuestion(swap, address));
  const venue = enforcing(await jupiterVenue(swap, address, built), 1n);
  const message = await messageOf({ ...order, venue });
  return { pool: inPool, jupiter: await send(message, [Uint8Array.from(sign(null, message, key))]) };
}

/** Makes a host that also lists transactions, which the local chain does not. */
function listing(host: RpcHost, ids: Readonly<Record<string, readonly string[]>>): Pick<RpcHost, "request"> {
  const answer = ({ params: [program] }: RpcCall<unknown>) => {
    const found = ids[String(program)];
    if (found === undefined) throw new HostFault("TIMEOUT", "getSignaturesForAddress");
    return found.map((signature) => ({ signature, slot: 7, err: null }));
  };
  return {
    request: (async (calls: readonly RpcCall<unknown>[]) => {
      const [call] = calls as [RpcCall<unknown>];
      return call.method === "getSignaturesForAddress" ? [call.read(answer(call))] : host.request(calls);
    }) as RpcHost["request"],
  };
}

describe("recordings of hosts", () => {
  it("keep one transaction of each instruction that has landed, and name those that are missing", async () => {
    const ids = await landed();
    const { host } = await open();
    const recorded = await recordLanded(
      listing(host, { [jupiterProgram]: [ids.pool, ids.jupiter], [cpmmProgram]: [ids.pool, ids.pool] }),
    );
    expect(recorded.map(({ file }) => file)).toEqual(["landed route_v2.json", "landed swap_base_input.json"]);
    const folder = mkdtempSync(join(tmpdir(), "recordings-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const lines = keepRecordings(join(folder, "new"), recorded);
    expect(lines).toEqual([
      `Recorded in ${folder}/new: landed route_v2.json, landed swap_base_input.json`,
      "Missing: landed shared_accounts_route_v2.json, landed buy_v2.json, landed sell_v2.json, landed buy_exact_quote_in_v2.json",
    ]);
    for (const file of readdirSync(join(folder, "new")))
      await expectLandedIsRead(JSON.parse(readFileSync(join(folder, "new", file), "utf8")));
  });

  it("keep an answer of Jupiter for each exchange, which the signer accepts", async () => {
    const { configuration, host } = await open();
    const recorded: Recording[] = [];
    const onRecording = (each: Recording) => void recorded.push(each);
    await tryJupiterRoutes(host, configuration, { pauseMs: 0, labels: ["Raydium CP"], onRecording });
    const [first] = recorded as [Recording];
    expect(first.file).toBe("build Raydium CP buy.json");
    const read = JSON.parse(JSON.stringify(first.content));
    await expectBuildIsAccepted(read);
    const other = { ...read, helper: chain.deployment.payer as Address };
    await expect(expectBuildIsAccepted(other)).rejects.toThrow();
  });
});
