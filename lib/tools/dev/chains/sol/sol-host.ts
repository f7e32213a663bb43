import { listen } from "cdk-local-runner";
import { type RpcReply, rpcService } from "../rpc-service.ts";
import type { SolNode } from "./sol-node.ts";

export type SolHost = { url: string; close(): Promise<void> };

export type SolHostOptions = { node: SolNode; port?: number };

const noBatch: RpcReply = { error: { code: -32600, message: "Batches are not supported" } };

/**
 * Starts a host of a local Solana chain.
 *
 * @throws StartupError if the port is in use
 */
export async function startSolHost({ node, port = 0 }: SolHostOptions): Promise<SolHost> {
  const service = rpcService((questions) =>
    Promise.all(questions.map((question) => (questions.length > 1 ? noBatch : node.replyTo(question)))),
  );
  const listener = await listen(port, service, () => {});
  return { url: listener.url, close: () => listener.close() };
}
