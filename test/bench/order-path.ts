import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createReaper, startDynamoDb } from "cdk-local-runner/testing";
import { localAddresses } from "trading-terminal-devnet/evm/deployment";
import type { TestChain } from "trading-terminal-devnet/evm/test-chain";
import { openVault } from "../../lib/aws/vault.ts";
import type { Evm } from "../../lib/chains/evm/rules/family.ts";
import type { OperationName } from "../../lib/operations/operations.ts";
import type { SignRequest } from "../../lib/orders/effects.ts";
import { openTable } from "../../lib/table/table.ts";
import { openMacs } from "../../lib/trading/signing/intent-mac.ts";
import { readSignRequest, signPayload } from "../../lib/trading/signing/sign-payload.ts";
import { createTable } from "../support/create-table.ts";
import { restEvent } from "../support/events.ts";
import { functionEnvironment } from "../support/function-environment.ts";
import { openDesk, type TradingDesk } from "../support/trading-desk.ts";
import type { FakeAws } from "./fake-aws.ts";

export type OrderStart = {
  event: unknown;
  /** Environment variables that differ between starts. */
  environment: Record<string, string>;
  /** Reads from the function's response whether it did its work. */
  isDone(answer: string): Promise<boolean>;
};

export type OrderPath = {
  /** Endpoint of the table. */
  endpoint: string;
  /** Prepares an order for this function to start with. */
  next(name: OrderFunction): Promise<OrderStart>;
  close(): Promise<void>;
};

const buy = { type: "market", side: "buy", token: localAddresses.moon, amount: "0.5" } as const;

/** Advances an order until this function takes over. Returns the function's event. */
const preparations = {
  async placeOrder({ lane }) {
    const headers = { "Content-Type": "application/json", "Idempotency-Key": "a cold order" };
    return { ...restEvent({ body: { ...lane, ...buy } }), headers };
  },
  async executeOrders(desk) {
    await desk.place(buy);
    return desk.nextEvent();
  },
  async signTransaction(desk) {
    await desk.place(buy);
    let asked: SignRequest<Evm> | undefined;
    await desk.work(async (request) => {
      asked = request as SignRequest<Evm>;
      return { later: "the signer is measured" };
    });
    if (asked === undefined) throw new Error("No signature was asked for");
    return signPayload(asked);
  },
  async readChains(desk) {
    await desk.place(buy);
    await desk.work();
    return {};
  },
} satisfies Partial<Record<OperationName, (desk: TradingDesk) => Promise<unknown>>>;

export type OrderFunction = keyof typeof preparations;

const answers: Record<OrderFunction, RegExp> = {
  placeOrder: /^{"statusCode":200/,
  executeOrders: /^null$/,
  signTransaction: /"raw":"0x/,
  readChains: /^null$/,
};

/** Number of the wallet's transactions after the function has done its work. */
const transactionsAfter: Record<OrderFunction, number> = {
  placeOrder: 0,
  executeOrders: 1,
  signTransaction: 0,
  readChains: 1,
};

export const isOrderFunction = (name: string): name is OrderFunction => name in preparations;

/** Places orders of `alice` in DynamoDB Local, each in its own table. Keys come from the fake KMS. */
export async function openOrderPath(aws: FakeAws, chain: TestChain): Promise<OrderPath> {
  const temporary = mkdtempSync(join(tmpdir(), "bench-table-"));
  const reaper = createReaper();
  const {
    AWS_REGION: region = "",
    KEY_ID = "",
    MAC_KEY_ID = "",
    CHILD_MAC_KEY_ID = "",
    TABLE_ID = "",
  } = functionEnvironment;
  const credentials = { accessKeyId: "test", secretAccessKey: "test" };
  const database = await startDynamoDb({ temporary, credentials, reaper });
  const config = { region, credentials, endpoint: aws.url };
  const keys = {
    vault: openVault(KEY_ID, config),
    macs: openMacs(MAC_KEY_ID, TABLE_ID, config),
    childMacs: openMacs(CHILD_MAC_KEY_ID, TABLE_ID, config),
  };
  let count = 0;
  return {
    endpoint: database.endpoint,
    async next(name) {
      const TABLE_NAME = `orders-${++count}`;
      const table = await createTable(openTable(TABLE_NAME, { ...config, endpoint: database.endpoint }));
      const desk = await openDesk(table, chain, { userID: "alice", keys });
      // Serves only requests to sign: starts of runs, and of the signer, do nothing here.
      aws.invoked = async (payload) => {
        const request = readSignRequest(payload);
        return request === undefined ? null : signPayload(await desk.signer(request));
      };
      // Mines a block, because trading refuses old prices.
      await chain.mine();
      return {
        event: await preparations[name](desk),
        environment: { TABLE_NAME },
        async isDone(answer) {
          const count = await chain.request("eth_getTransactionCount", [desk.wallet, "pending"]);
          return Number(count) === transactionsAfter[name] && answers[name].test(answer);
        },
      };
    },
    async close() {
      keys.vault.client.destroy();
      await database.stop();
      await reaper.close();
      rmSync(temporary, { recursive: true });
    },
  };
}
