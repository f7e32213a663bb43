import openapiTS, { astToString } from "openapi-typescript";

type Response = { content?: { "application/json": { schema: object } }; "x-error-codes"?: readonly string[] };

type Operation = {
  operationId: string;
  parameters?: { in: string; name: string }[];
  responses: Record<string, Response>;
};

/** The parts of an OpenAPI and an AsyncAPI document that the generator reads. */
export type Documents = {
  openapi: { paths: Record<string, Record<string, Operation>>; components: { schemas: object } };
  asyncapi: { components: { schemas: object }; operations: Record<string, StreamOperation> };
};

type References = { $ref: string }[];

/** `receive` means that the service receives the messages, and may reply. */
type StreamOperation = { action: "send" | "receive"; messages: References; reply?: { messages: References } };

const header =
  "// Generated from docs/openapi.json and docs/asyncapi.json by `npm ci` and `npm run documents`. Do not edit.";

/** Generates lib/client/openapi.ts: types of all requests, responses and messages, and a table of the operations. */
export async function openapiSource({ openapi, asyncapi }: Documents): Promise<string> {
  const operations = Object.entries(openapi.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
  return [
    header,
    await typesOf(openapi, asyncapi),
    "/** The method and the path of each operation. `once`: it requires an Idempotency-Key. */",
    "export const routes = {",
    ...operations.map(
      ({ method, path, operation }) =>
        `    ${operation.operationId}: "${method} ${path}${takesKey(operation) ? " once" : ""}",`,
    ),
    "} as const;",
    "",
    "/** The codes of errors in the general envelope, by operation and status. */",
    "export interface ErrorCodes {",
    ...operations.map(
      ({ operation }) => `    ${operation.operationId}: {${codesOf(operation.responses)}\n    };`,
    ),
    "}",
    "",
    "/** A message that the service sends. */",
    "export type ServerMessage =",
    `${sentBy(asyncapi)
      .map((name) => `    | components["schemas"]["${name}"]`)
      .join("\n")};`,
    "",
  ].join("\n");
}

/** Lists the messages that the service sends or replies with. */
function sentBy({ operations }: Documents["asyncapi"]): string[] {
  const references = Object.values(operations).flatMap(({ action, messages, reply }) =>
    action === "send" ? messages : (reply?.messages ?? []),
  );
  return [...new Set(references.map(({ $ref }) => $ref.split("/").at(-1) ?? ""))];
}

async function typesOf(openapi: Documents["openapi"], asyncapi: Documents["asyncapi"]): Promise<string> {
  // The stream and the API have the same records, so one of two schemas with the same name is enough.
  const schemas = { ...asyncapi.components.schemas, ...openapi.components.schemas };
  const paths = Object.fromEntries(
    Object.entries(openapi.paths).map(([path, methods]) => [
      path,
      Object.fromEntries(
        Object.entries(methods).map(([method, operation]) => [method, withoutErrors(operation)]),
      ),
    ]),
  );
  const nodes = await openapiTS({
    ...openapi,
    paths,
    components: { ...openapi.components, schemas },
  } as never);
  // The types of paths only list the operations.
  const wanted = nodes.filter(
    (node) => !/^export (interface paths|type (webhooks|\$defs))/.test(astToString(node)),
  );
  return astToString(wanted);
}

/** Removes errors, whose types the client derives from their codes. */
const withoutErrors = (operation: Operation): Operation => ({
  ...operation,
  responses: Object.fromEntries(
    Object.entries(operation.responses).filter(([status]) => Number(status) < 300),
  ),
});

const takesKey = ({ parameters = [] }: Operation) =>
  parameters.some((parameter) => parameter.in === "header" && parameter.name === "Idempotency-Key");

const codesOf = (responses: Record<string, Response>) =>
  Object.entries(responses)
    .filter(([, { "x-error-codes": codes = [] }]) => codes.length > 0)
    .map(
      ([status, { "x-error-codes": codes = [] }]) =>
        `\n        ${status}: ${codes.map((code) => `"${code}"`).join(" | ")};`,
    )
    .join("");
