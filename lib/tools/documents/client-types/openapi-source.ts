import openapiTS, { astToString } from "openapi-typescript";
import ts from "typescript";

type Schema = { [keyword: string]: unknown };

type Response = {
  content?: { "application/json": { schema: Schema & { allOf?: Schema[] } } };
  "x-error-codes"?: readonly string[];
};

type Operation = {
  operationId: string;
  summary: string;
  description: string;
  "x-repeatable"?: true;
  "x-codeSamples": { label: string; source: string }[];
  parameters?: { in: string; name: string }[];
  responses: Record<string, Response>;
};

/** Parts of an OpenAPI and an AsyncAPI document that the generator reads. */
export type Documents = {
  openapi: { paths: Record<string, Record<string, Operation>>; components: { schemas: object } };
  asyncapi: { components: { schemas: object }; operations: Record<string, StreamOperation> };
};

type References = { $ref: string }[];

/** A message of the stream. `receive` means that the service receives it and may reply. */
type StreamOperation = { action: "send" | "receive"; messages: References; reply?: { messages: References } };

const header =
  "// Generated from docs/openapi.json and docs/asyncapi.json by `npm ci` and `npm run documents`. Do not edit.";

const operationsOf = ({ paths }: Documents["openapi"]) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );

/** TypeScript types of strings that JSON Schema marks with a `format`. */
const formats = { decimal: "Decimal", "evm-address": "EvmAddress" } as const;

/** Generates lib/client/openapi.ts: types of all requests, responses and messages, and a table of operations. */
export async function openapiSource({ openapi, asyncapi }: Documents): Promise<string> {
  const operations = operationsOf(openapi);
  return [
    header,
    "/** A decimal number as text, of any precision: such as `0.5`. */",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a type
    "export type Decimal = `${number}`;",
    "",
    "/** An address on an EVM chain. Those of sol are base58, which is any text to a compiler. */",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a type
    "export type EvmAddress = `0x${string}`;",
    "",
    await typesOf(openapi, asyncapi),
    "/**",
    " * The method and the path of each operation. `once`: it requires an Idempotency-Key. `again`: a POST that may arrive",
    " * twice.",
    " */",
    "export const routes = {",
    ...operations.map(
      ({ method, path, operation }) =>
        `    ${operation.operationId}: "${method} ${path}${markOf(operation)}",`,
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
    "/** The details of errors that differ between operations. */",
    "export interface OwnDetails {",
    ...operations.flatMap(({ operation }) => detailsOf(operation)),
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

/** Lists messages that the service sends, on its own or in reply. */
function sentBy({ operations }: Documents["asyncapi"]): string[] {
  const references = Object.values(operations).flatMap(({ action, messages, reply }) =>
    action === "send" ? messages : (reply?.messages ?? []),
  );
  return [...new Set(references.map(({ $ref }) => $ref.split("/").at(-1) ?? ""))];
}

async function typesOf(openapi: Documents["openapi"], asyncapi: Documents["asyncapi"]): Promise<string> {
  // Merges the schemas of the stream and the API. Schemas with the same name describe the same records.
  const schemas = { ...asyncapi.components.schemas, ...openapi.components.schemas };
  const paths = Object.fromEntries(
    Object.entries(openapi.paths).map(([path, methods]) => [
      path,
      Object.fromEntries(
        Object.entries(methods).map(([method, operation]) => [method, withoutErrors(operation)]),
      ),
    ]),
  );
  const document = { ...openapi, paths, components: { ...openapi.components, schemas } };
  const nodes = await openapiTS(withUnions(document) as never, {
    transform: ({ format = "" }) =>
      format in formats
        ? ts.factory.createTypeReferenceNode(formats[format as keyof typeof formats])
        : undefined,
  });
  // Drops the types of paths, which only list the operations again.
  const wanted = nodes.filter(
    (node) => !/^export (interface paths|type (webhooks|\$defs))/.test(astToString(node)),
  );
  return astToString(wanted);
}

/** Removes error responses, because the client derives their types from the error codes. */
const withoutErrors = (operation: Operation): Operation => ({
  ...operation,
  responses: Object.fromEntries(
    Object.entries(operation.responses).filter(([status]) => Number(status) < 300),
  ),
});

const markOf = (operation: Operation) =>
  takesKey(operation) ? " once" : operation["x-repeatable"] ? " again" : "";

const takesKey = ({ parameters = [] }: Operation) =>
  parameters.some((parameter) => parameter.in === "header" && parameter.name === "Idempotency-Key");

/** Replaces rules that the generator cannot read with unions, and with fields that are never present. */
function withUnions(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withUnions);
  if (typeof node !== "object" || node === null) return node;
  const { not, if: _, then: met, else: unmet, ...rest } = node as Rules;
  const parts = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, withUnions(value)]));
  if (met !== undefined) return { ...parts, oneOf: [met, unmet].map(withUnions) };
  if (not === undefined) return parts;
  const excluded = [not, ...(not.anyOf ?? [])].flatMap(({ required = [] }) => required);
  const never = Object.fromEntries(excluded.map((name) => [name, false]));
  return { ...parts, properties: { ...(parts.properties as object), ...never } };
}

type Rules = { not?: Exclusion; if?: unknown; then?: unknown; else?: unknown };

type Exclusion = { required?: string[]; anyOf?: { required: string[] }[] };

/** Finds error details that only this operation's response has, in addition to those of the envelope. */
function detailsOf({ operationId, responses }: Operation): string[] {
  return Object.values(responses).flatMap(({ content, "x-error-codes": [code] = [] }) => {
    const [, own] = content?.["application/json"].schema.allOf ?? [];
    const [id] = own ? requiredIn(requiredIn(own, "error"), "details").required : [];
    return id === undefined || code === undefined
      ? []
      : [`    ${operationId}: { ${code}: { ${id}: string } };`];
  });
}

type ObjectSchema = { required: string[]; properties: Record<string, ObjectSchema> };

const requiredIn = (schema: unknown, name: string): ObjectSchema =>
  (schema as ObjectSchema).properties[name] as ObjectSchema;

/** Generates lib/client/methods.ts, with a method for each operation. Editors show the method's comment and example. */
export function methodsSource({ openapi }: Pick<Documents, "openapi">): string {
  const methods = operationsOf(openapi).flatMap(({ operation }) => [
    "    /**",
    ...commentOf(operation).map((line) => `     * ${line}`.trimEnd()),
    "     */",
    `    ${operation.operationId}: Call<"${operation.operationId}">;`,
    "",
  ]);
  return [
    header,
    'import type { Call } from "./rest-types.ts";',
    "",
    "/** A method for each operation of the REST API. */",
    "export interface RestCalls {",
    ...methods.slice(0, -1),
    "}",
    "",
  ].join("\n");
}

function commentOf({ summary, description, "x-codeSamples": samples }: Operation): string[] {
  const { source = "" } = samples.find(({ label }) => label === "client") ?? {};
  const text = [`${summary}.`, "", ...description.split("\n"), "", "@example"];
  return [...text, ...source.split("\n")].map((line) => line.replaceAll("*/", "*\\/"));
}

const codesOf = (responses: Record<string, Response>) =>
  Object.entries(responses)
    .filter(([, { "x-error-codes": codes = [] }]) => codes.length > 0)
    .map(
      ([status, { "x-error-codes": codes = [] }]) =>
        `\n        ${status}: ${codes.map((code) => `"${code}"`).join(" | ")};`,
    )
    .join("");
