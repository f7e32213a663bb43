/** Answers as DynamoDB does to the Query of a trader with many orders, in pages of 1 MB. Loading a table would take minutes. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { marshall } from "@aws-sdk/util-dynamodb";
import { order } from "../support/executions.ts";
import { executionItem } from "../support/stream.ts";
import { say } from "./child.ts";

const orders = Number(process.argv[2]);
const inAWeek = Math.floor(Date.now() / 1000) + 7 * 24 * 60 * 60;

/** A partition of DynamoDB serves 3000 read units a second, and a consistent read of 1 MB takes 250 of them. */
const pageMs = 85;
const pageBytes = 1_000_000;

function item(userID: string, index: number) {
  const orderId = `018f6b1e-0000-7000-8000-${String(index).padStart(12, "0")}`;
  const status = userID === "all-open" ? "open" : "filled";
  const made = executionItem(userID, order({ orderId, status }));
  return status === "open" ? made : { ...made, expiresAt: inAWeek - index };
}

const server = createServer(async (request, response) => {
  const { ExclusiveStartKey, ExpressionAttributeValues } = JSON.parse(await text(request));
  const userID = ExpressionAttributeValues[":pk"].S.slice("TRADES#".length);
  const items: string[] = [];
  let index = Number(ExclusiveStartKey?.index.N ?? 0);
  for (let bytes = 0; bytes < pageBytes && index < orders; index++) {
    const made = item(userID, index);
    bytes += JSON.stringify(made).length;
    items.push(JSON.stringify(marshall(made, { removeUndefinedValues: true })));
  }
  await pause(pageMs);
  const next = index < orders ? `,"LastEvaluatedKey":{"index":{"N":"${index}"}}` : "";
  response.writeHead(200, { "content-type": "application/x-amz-json-1.0" });
  response.end(`{"Items":[${items.join(",")}]${next}}`);
});
await once(server.listen(0, "127.0.0.1"), "listening");

say({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
