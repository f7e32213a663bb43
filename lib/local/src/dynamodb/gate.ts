import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import type { Credentials } from "../account.ts";
import { denialOf } from "../iam/caller.ts";
import type { Callers } from "../iam/callers.ts";
import { accessRequestsOf, type LeadingKeys, type TablesKeys } from "./access-requests.ts";

export type GateOptions = {
  /** Address to which allowed calls are forwarded. */
  endpoint: string;
  /** Credentials of the database. The access key must be as long as the callers'. */
  credentials: Credentials;
  callers: Pick<Callers, "find">;
  tables: TablesKeys;
  leadingKeys?: LeadingKeys | undefined;
  /** Called after the answer to a call that may have written. */
  onWrite?: () => void;
};

export type Gate = { endpoint: string; stop(): Promise<void> };

/**
 * Forwards the DynamoDB calls that the policies of a function's role allow, and replaces the function's access key by
 * the database's. The gate works on the bytes of connections, since an HTTP proxy would add 0.4 ms to a call. Clients
 * must wait for an answer before the next call, as the SDK does.
 */
export async function openGate(options: GateOptions): Promise<Gate> {
  const { hostname, port } = new URL(options.endpoint);
  const clients = new Set<Socket>();
  const server = createServer({ noDelay: true }, (client) => {
    const database = connect({ host: hostname, port: Number(port), noDelay: true });
    let isWriting = false;
    const decide = (request: Buffer) => {
      const head = headOf(request);
      const refused = decision(request, head, options);
      isWriting = refused === undefined && /Put|Update|Delete|Write/.test(operationOf(head));
      return refused;
    };
    clients.add(client);
    client.on("close", () => {
      clients.delete(client);
      database.destroy();
    });
    client.on("error", () => database.destroy());
    // Closes the connection, because the SDK retries a call whose connection is lost.
    database.on("error", () => client.destroy());
    database.pipe(client);
    database.on("data", () => {
      if (isWriting) options.onWrite?.();
      isWriting = false;
    });
    client.on("data", readRequests(decide, client, database));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port: own } = server.address() as { port: number };
  return {
    endpoint: `http://127.0.0.1:${own}`,
    async stop() {
      for (const client of clients) client.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

const HEAD_END = Buffer.from("\r\n\r\n");
const HEAD_LIMIT_BYTES = 16 * 1024;

/** Splits the bytes of a connection into requests. */
function readRequests(decide: (request: Buffer) => Buffer | undefined, client: Socket, database: Socket) {
  let chunks: Buffer[] = [];
  let collected = 0;
  /** Length of the arriving request, once its head is complete. */
  let length: number | undefined;

  return (chunk: Buffer) => {
    chunks.push(chunk);
    collected += chunk.length;
    while (collected > 0) {
      if (length !== undefined && collected < length) return;
      const [first] = chunks;
      const bytes = chunks.length === 1 && first ? first : Buffer.concat(chunks);
      chunks = [bytes];
      length ??= lengthOf(bytes);
      if (length === undefined && bytes.length > HEAD_LIMIT_BYTES) length = Number.NaN;
      if (Number.isNaN(length)) return void client.destroy();
      if (length === undefined || collected < length) return;
      const request = bytes.subarray(0, length);
      const rest = bytes.subarray(length);
      [chunks, collected, length] = [rest.length > 0 ? [rest] : [], rest.length, undefined];
      const refusal = decide(request);
      if (refusal === undefined) database.write(request);
      else client.write(refusal);
    }
  };
}

/**
 * Computes the length of a request with its body. Undefined while the head is incomplete, NaN if it has no
 * Content-Length.
 */
function lengthOf(bytes: Buffer): number | undefined {
  const end = bytes.indexOf(HEAD_END);
  if (end < 0) return undefined;
  const [, length] = /\r\ncontent-length: *(\d+)/i.exec(bytes.toString("latin1", 0, end)) ?? [];
  return length === undefined ? Number.NaN : end + HEAD_END.length + Number(length);
}

const headOf = (request: Buffer): string => request.toString("latin1", 0, request.indexOf(HEAD_END));

/** Reads the operation's name, e.g. `PutItem`. */
const operationOf = (head: string): string => /\r\nx-amz-target: *[^\r.]*\.(\w+)/i.exec(head)?.[1] ?? "";

/** Returns the answer to a refused request. In an allowed request, replaces the access key in place. */
function decision(
  request: Buffer,
  head: string,
  { credentials, callers, tables, leadingKeys }: GateOptions,
): Buffer | undefined {
  const credential = /\r\nauthorization:[^\r]*Credential=([^/\r]*)/i.exec(head);
  const [upToKey = "", accessKey = ""] = credential ?? [];
  const caller = callers.find(accessKey);
  if (credential === null || caller === undefined) {
    return refusal("UnrecognizedClientException", "The security token included in the request is invalid.");
  }
  const operation = operationOf(head);
  const body = parsed(request, head.length + HEAD_END.length);
  const requests = accessRequestsOf(operation, body, tables, leadingKeys);
  if (requests === undefined) {
    return refusal(
      "UnknownOperationException",
      `${operation} is not emulated: policies are not read for PartiQL`,
    );
  }
  for (const each of requests) {
    const denial = denialOf(caller, each);
    if (denial !== undefined) return refusal("AccessDeniedException", denial);
  }
  if (accessKey.length !== credentials.accessKeyId.length)
    throw new Error("The access keys differ in length");
  const start = credential.index + upToKey.length - accessKey.length;
  request.write(credentials.accessKeyId, start, "latin1");
  return undefined;
}

function parsed(request: Buffer, bodyStart: number): unknown {
  try {
    return JSON.parse(request.toString("utf8", bodyStart));
  } catch {
    return undefined;
  }
}

/** Spells `Message` with a capital letter, unlike DynamoDB's other errors. */
function refusal(name: string, Message: string): Buffer {
  const body = JSON.stringify({ __type: `com.amazon.coral.service#${name}`, Message });
  const head = [
    "HTTP/1.1 400 Bad Request",
    "Content-Type: application/x-amz-json-1.0",
    `Content-Length: ${Buffer.byteLength(body)}`,
    `x-amzn-RequestId: ${randomUUID()}`,
  ];
  return Buffer.from(`${head.join("\r\n")}\r\n\r\n${body}`);
}
