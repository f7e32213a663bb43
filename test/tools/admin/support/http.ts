import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import type { Kms } from "cdk-local-runner/testing";
import type { Target } from "../../../../lib/tools/admin/target.ts";
import type { Engine } from "../../../support/dynamodb.ts";

export type Served = AsyncDisposable & { port: number };

/** Serves HTTP on a free port of 127.0.0.1 until disposed. */
export async function serve(listener: RequestListener): Promise<Served> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** Fakes a local runner's description and KMS. Calls `onReEncrypt` before KMS rewraps a key. */
export function localRunner(
  { connection }: Engine,
  { table, vault, kms }: Target & { kms: Kms },
  onReEncrypt: () => Promise<unknown> = () => pause(0),
): RequestListener {
  return async (request, response) => {
    const body = await text(request);
    if (request.url === "/_local/outputs") {
      const endpoints = {
        dynamodb: connection.endpoint,
        kms: `http://${request.headers.host}`,
        lambda: `http://${request.headers.host}`,
      };
      const { region, credentials } = connection;
      const outputs = { TableName: table.name, KeyId: vault.keyId, BaseUrl: "http://127.0.0.1:1" };
      response.end(JSON.stringify({ outputs, endpoints, region, credentials }));
      return;
    }
    const operation = String(request.headers["x-amz-target"]);
    if (operation.endsWith(".ReEncrypt")) await onReEncrypt();
    const answer = kms.handle(operation, JSON.parse(body));
    response.writeHead(answer.status, { "content-type": "application/x-amz-json-1.1" });
    response.end(JSON.stringify(answer.body));
  };
}

/** Fakes a CloudFormation that describes these stacks with their outputs. */
export function cloudFormation(stacks: Record<string, Record<string, string>>): RequestListener {
  return async (request, response) => {
    const asked = new URLSearchParams(await text(request)).get("StackName") ?? "";
    const outputs = stacks[asked];
    const members = Object.entries(outputs ?? {}).map(([name, value]) => {
      return `<member><OutputKey>${name}</OutputKey><OutputValue>${value}</OutputValue></member>`;
    });
    const stack = `<member><StackName>${asked}</StackName><Outputs>${members.join("")}</Outputs></member>`;
    const found = `<DescribeStacksResponse><DescribeStacksResult><Stacks>${stack}</Stacks></DescribeStacksResult></DescribeStacksResponse>`;
    const missing = `<ErrorResponse><Error><Type>Sender</Type><Code>ValidationError</Code><Message>Stack with id ${asked} does not exist</Message></Error></ErrorResponse>`;
    response.writeHead(outputs ? 200 : 400, { "content-type": "text/xml" });
    response.end(outputs ? found : missing);
  };
}
