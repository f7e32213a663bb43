import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CreateTableCommand } from "@aws-sdk/client-dynamodb";
import { createReaper, startDynamoDb, startDynamoDbProxy } from "cdk-local-runner/testing";
import { openTable } from "../../../lib/aws/table.ts";
import { type WalletSoakOptions, walletSoak } from "./wallet-soak.ts";

/** Runs {@link walletSoak} on a DynamoDB Local of its own, whose transactions conflict as on AWS. */
export async function runWalletSoak(options: WalletSoakOptions) {
  const temporary = mkdtempSync(join(tmpdir(), "wallets-"));
  const reaper = createReaper();
  const credentials = { accessKeyId: "wallets", secretAccessKey: "local" };
  const database = await startDynamoDb({ temporary, credentials, reaper });
  const faults: string[] = [];
  const { endpoint } = database;
  const onFault = (fault: unknown) => void faults.push(String(fault));
  const proxy = await startDynamoDbProxy({ endpoint, conflicts: true, seed: options.seed, onFault });
  const table = openTable("wallets", {
    endpoint: proxy.endpoint,
    region: "us-east-1",
    credentials,
    // Without the functions' timeouts: a machine that is busy is not a table that hangs.
    requestHandler: {},
  });
  try {
    await table.client.send(
      new CreateTableCommand({
        TableName: table.name,
        BillingMode: "PAY_PER_REQUEST",
        AttributeDefinitions: ["PK", "SK"].map((AttributeName) => ({ AttributeName, AttributeType: "S" })),
        KeySchema: [
          { AttributeName: "PK", KeyType: "HASH" },
          { AttributeName: "SK", KeyType: "RANGE" },
        ],
      }),
    );
    const { answers, problems } = await walletSoak(table, options);
    return { answers, problems: [...problems, ...faults] };
  } finally {
    table.client.destroy();
    await proxy.stop();
    await database.stop();
    await reaper.close();
    rmSync(temporary, { recursive: true });
  }
}
