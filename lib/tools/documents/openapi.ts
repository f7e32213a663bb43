import * as v from "valibot";
import manifest from "../../../package.json" with { type: "json" };
import { errorBodies, UnauthorizedBodySchema } from "../../api/error-schemas.ts";
import { type HttpErrorCode, statusOfCode } from "../../api/errors.ts";
import { envelopes, httpStatusOf, type OperationSchemas } from "../../api/operation-schema.ts";
import { schemas } from "../../api/operation-schemas.ts";
import { NoContentSchema } from "../../api/scalars.ts";
import { operationsOf, type RestOperationName } from "../../operations/operations.ts";
import type { RestRow } from "../../operations/types.ts";
import { type JsonSchema, schemaComponents } from "./components.ts";
import { clientSample, curlSample, introduction } from "./request-samples.ts";
import { type RestExample, restExamples, solBodies } from "./rest-examples.ts";
import { restNotes, restTags } from "./rest-notes.ts";

/** Address of the API. Generated programs use it by default, so it is not a local address. */
const servers = [
  {
    url: "https://{host}",
    description: "A deployed stage. The output BaseUrl of the stack TerminalEdge has its address.",
    variables: {
      host: {
        description: "The domain of the service, or a name of CloudFront",
        default: "api.example.com",
      },
    },
  },
];

/** The description of each error code. */
const meanings: Record<HttpErrorCode, string> = {
  INVALID_REQUEST: "The request cannot be read. The message names the field.",
  IDEMPOTENCY_KEY_MISSING: "The request has no Idempotency-Key, and no `clientOrderId` if it is an order.",
  IDEMPOTENCY_KEY_REUSED: "The key was already used with another body.",
  INVALID_PRIVATE_KEY: "The private key does not belong to that network.",
  UNKNOWN_IMPORT_KEY: "The service accepts no key with this keyId now. List the keys, and seal to the first.",
  INVALID_CIPHERTEXT: "The ciphertext does not open for this user, network, keyId and Idempotency-Key.",
  ADDRESS_MISMATCH: "The private key belongs to another address than expectedAddress.",
  EXPORT_DISABLED: "Exports of wallets are switched off.",
  EXPORT_NOT_FOUND: "The wallet has no requested export, or the export has ended.",
  EXPORT_LIMIT_REACHED:
    "The user has requested too many exports today, or exported the wallet too often for one request.",
  EXPORT_LOCKED: "The user has locked exports. `unlocksAt` is present if an unlocking is announced.",
  DEVICES_DISABLED: "Devices are switched off.",
  DEVICE_NOT_FOUND: "The user has no such device.",
  DEVICE_LIMIT_REACHED: "The user has `limit` devices, including those that are leaving.",
  INVALID_SETTING: "The chain has no such setting.",
  PRECONDITION_FAILED: "If-Match does not name the current ETag. Nothing has changed.",
  UNSUPPORTED_CHAIN: "The chain does not trade here.",
  NO_ROUTE: "No pool can make the trade.",
  AMOUNT_TOO_SMALL: "The amount is too small: the trade would give nothing.",
  INSUFFICIENT_BALANCE: "The wallet has too little of a coin or token, including network fees.",
  WALLET_LIMIT_REACHED: "The wallet limit of the user's tier is reached.",
  TRADING_DISABLED: "Trading is switched off.",
  MARKETS_DISABLED: "Markets of tokens are switched off.",
  LOOK_LIMIT_REACHED:
    "The user has asked for too many tokens that nobody follows. Try again after `Retry-After` seconds.",
  SIGN_IN_REQUIRED:
    "The user signed in more than `maxAgeSeconds` ago. A refreshed token does not help: sign in again.",
  SCOPE_MISSING:
    "A program key lacks the scope that `details` name, or may not do this at all if the scope is null.",
  KEY_NOT_FOUND: "The user has no such program key.",
  KEY_LIMIT_REACHED: "The user has as many program keys as a user may have.",
  POLICY_LIMIT: "A limit of the operator or of the wallet's policy forbids the order.",
  KEY_LIMIT: "The key of the program has ended, or forbids the order. `rule` names the field of the key.",
  WALLET_NOT_FOUND: "The user has no such wallet.",
  TOKEN_NOT_FOUND: "No token answers at the address.",
  ORDER_NOT_FOUND: "The user has no such order.",
  NO_REFERENCE:
    "Nothing but a router's server prices the token, so the request has to name the minimum amount that may arrive.",
  PRICE_IMPACT_TOO_HIGH: "The trade would move the price too far.",
  PRIORITY_FEE_TOO_LOW:
    "On sol, protection is on, and an attempt cannot pay the relay's lowest tip from its share of priorityFee.",
  GAS_PRICE_TOO_HIGH: "The chain's gas price is above the limit.",
  TOKEN_UNSAFE: "The token cannot be sold, or has a very high tax.",
  REWARD_NOT_FOUND: "There is no such reward.",
  REWARD_UNAVAILABLE: "The reward is not available now.",
  OUT_OF_STOCK: "The reward is sold out.",
  INSUFFICIENT_POINTS: "The user has fewer points than the reward costs.",
  REWARD_BUSY: "Too many users are buying the reward now. Try again after `Retry-After` seconds.",
  WALLET_BUSY:
    "The wallet has too many open orders or an unfinished transaction, or another program is using it.",
  EXITS_UNAVAILABLE: "The token could not be sold by exits.",
  WOULD_FIRE_NOW: "The price is at or below the stop already, or would be once a buy is sold again.",
  TOO_MANY_RESTING: "The user, or the wallet for this token, has as many resting orders as it may.",
  AUTO_BUY_OFF: "The user's switch for automatic buys is off on this chain.",
  NO_PRESET: "The user has no preset of the chain.",
  ALREADY_HELD:
    "The user has an open position of the token or an open buy, or bought it automatically less than ten minutes ago.",
  LIQUIDITY_TOO_LOW: "The token's fullest pool holds less coin than the preset demands.",
  ORDER_NOT_CANCELLABLE: "The order has ended, or belongs to another engine.",
  UNSUPPORTED_MEDIA_TYPE: "The Content-Type is not application/json.",
  INTERNAL_ERROR: "The service failed. Changes are never saved in part.",
  CHAIN_UNAVAILABLE:
    "The chain cannot be reached. Nothing was recorded. Try again after `Retry-After` seconds.",
};

/** Descriptions of the gateway's own responses. */
const gatewayReasons: Record<number, string> = {
  401: "The token is missing or not accepted. `needsRefresh` is true if the token has expired.",
  429: "Too many requests. Try again after `Retry-After` seconds.",
};

/** Tokens of users, which all operations accept. */
const userSecurity = [{ bearer: [] }, { cookie: [] }];

/** Makes the OpenAPI 3.1 description of the REST API. */
export function openApiDocument(): JsonSchema {
  const components = schemaComponents("draft-2020-12");
  const json = (schema: v.GenericSchema, example?: object, onSol?: object) => ({
    "application/json": {
      schema: components.convert(schema),
      ...(example && onSol === undefined && { example }),
      ...(onSol && { examples: { evm: { value: example }, sol: { value: onSol } } }),
    },
  });

  function operation(name: RestOperationName, row: RestRow): JsonSchema {
    const own: OperationSchemas = schemas[name];
    const { path, query, headers, body, success, answerHeaders } = own;
    const example = restExamples[name];
    const { tag, description } = restNotes[name];
    const parameters = [
      ...parametersIn("path", path, example?.path),
      ...parametersIn("query", query, example?.query),
      ...parametersIn("header", headers, example?.headers),
    ];
    return {
      operationId: name,
      tags: [tag],
      summary: row.summary,
      description,
      ...(row.scope && { security: [...userSecurity, { program: [row.scope] }] }),
      ...(own.isRepeatable && { "x-repeatable": true }),
      ...(parameters.length > 0 && { parameters }),
      ...(body && { requestBody: { required: true, content: json(body, example?.body, solBodies[name]) } }),
      responses: {
        [success === NoContentSchema ? 204 : 200]: {
          description: "Success",
          headers: { ...policyHeader, ...describedHeaders(answerHeaders ?? {}) },
          ...(success !== NoContentSchema && { content: json(success) }),
        },
        ...(row.method === "GET" &&
          answerHeaders?.ETag && {
            304: {
              description: "If-None-Match names the current ETag.",
              headers: { ...policyHeader, ...describedHeaders({ ETag: answerHeaders.ETag }) },
            },
          }),
        ...Object.fromEntries(
          [...errorsOf(own)].map(([status, codes]) => [status, error(status, codes, own)]),
        ),
      },
      "x-codeSamples": [
        // A key cannot be sealed with curl.
        ...(name === "importWallet"
          ? []
          : [{ lang: "Shell", label: "curl", source: curlSample(row, example) }]),
        { lang: "JavaScript", label: "client", source: clientSample(name, example) },
      ],
    };
  }

  function parametersIn(
    place: "path" | "query" | "header",
    schema: v.GenericSchema | undefined,
    examples: RestExample["query"] = {},
  ): JsonSchema[] {
    if (schema === undefined) return [];
    const { properties = {}, required = [] } = components.convert(schema) as Parameters;
    return Object.entries(properties).map(([name, { description, ...property }]) => {
      return {
        name,
        in: place,
        required: required.includes(name),
        schema: property,
        ...(description !== undefined && { description }),
        ...(name in examples && { example: examples[name] }),
      };
    });
  }

  function error(
    status: number,
    codes: readonly HttpErrorCode[],
    { errorShapes = envelopes, keyMakes }: OperationSchemas,
  ): JsonSchema {
    const shape = status < 500 ? errorShapes.client : errorShapes.server;
    const ofGateway = gatewayBodies[status];
    const ofFunction = errorBodies[shape];
    const isOfBoth = codes.some((code) => code !== "SCOPE_MISSING") && ofGateway !== ofFunction;
    const both = ofGateway && isOfBoth ? v.union([ofGateway, ofFunction]) : undefined;
    const content = json(both ?? ofGateway ?? ofFunction);
    const media = content["application/json"];
    if (keyMakes !== undefined && codes.includes("IDEMPOTENCY_KEY_REUSED"))
      media.schema = { allOf: [media.schema, withDetail(keyMakes)] };
    // Only the envelope carries the code.
    const reasons = codes.map((code) =>
      shape === "envelope" ? `${code}: ${meanings[code]}` : meanings[code],
    );
    const headers = {
      // All codes but one come from functions; the gateway's own responses have none of the headers.
      ...(codes.some((code) => code !== "SCOPE_MISSING") && policyHeader),
      ...(retried.includes(status) && retryAfter),
    };
    return {
      description: [gatewayReasons[status] ?? [], ...reasons].flat().join("\n"),
      ...(Object.keys(headers).length > 0 && { headers }),
      content,
      ...(shape === "envelope" && codes.length > 0 && { "x-error-codes": [...new Set(codes)] }),
    };
  }

  const paths: Record<string, JsonSchema> = {};
  for (const [name, row] of operationsOf("rest")) {
    paths[row.path] = { ...paths[row.path], [row.method.toLowerCase()]: operation(name, row) };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Multi-chain trading terminal",
      version: manifest.version,
      description: introduction,
      contact: { name: "The operators of the service" },
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers,
    security: userSecurity,
    tags: Object.entries(restTags).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      securitySchemes: {
        bearer: {
          type: "http",
          scheme: "bearer",
          bearerFormat: "JWT",
          description: "Takes precedence over the cookie.",
        },
        cookie: { type: "apiKey", in: "cookie", name: "access_token" },
        program: {
          type: "http",
          scheme: "bearer",
          bearerFormat: "JWT",
          description:
            "A token that a program signs for this request with a program key, which needs the scope. Programs reach no operation without it. docs/clients.md has the claims.",
        },
      },
      schemas: components.schemas,
      headers: describedHeaders({
        "RateLimit-Policy":
          'The user\'s plan and, after a comma, the method\'s own limit if it has one, each as a name, a number of requests, and the seconds in which they come back: `"standard";q=1000;w=60, "POST /api/v2/quotes";q=100;w=20`. Responses of functions have it, including errors.',
      }),
    },
  };
}

/** An error whose details have this id. */
const withDetail = (id: string) =>
  ["error", "details", id].reduceRight<JsonSchema>(
    (inner, name) => ({ type: "object", properties: { [name]: inner }, required: [name] }),
    { type: "string" },
  );

const policyHeader = { "RateLimit-Policy": { $ref: "#/components/headers/RateLimit-Policy" } };

const describedHeaders = (headers: Readonly<Record<string, string>>): JsonSchema =>
  Object.fromEntries(
    Object.entries(headers).map(([name, description]) => [name, { description, schema: { type: "string" } }]),
  );

type Parameters = { properties?: Record<string, JsonSchema>; required?: string[] };

const retried = [429, statusOfCode.CHAIN_UNAVAILABLE];
const retryAfter = { "Retry-After": { description: "Seconds", schema: { type: "integer" } } };

/** Lists the errors of an operation by status, in order. */
function errorsOf({
  path,
  query,
  body,
  errors = [],
  statuses: own,
}: OperationSchemas): Map<number, HttpErrorCode[]> {
  const codes: HttpErrorCode[] = ["SCOPE_MISSING", ...errors, "INTERNAL_ERROR"];
  if ((path ?? query ?? body) !== undefined) codes.unshift("INVALID_REQUEST");
  if (body !== undefined) codes.push("UNSUPPORTED_MEDIA_TYPE");
  const statuses = [
    ...codes.map((code) => httpStatusOf(code, own)),
    ...Object.keys(gatewayReasons).map(Number),
  ];
  const byStatus = statuses
    .toSorted((a, b) => a - b)
    .map((status) => [status, codes.filter((code) => httpStatusOf(code, own) === status)] as const);
  return new Map(byStatus);
}

/** API Gateway sends these responses itself, with one body for all operations. */
const gatewayBodies: Record<number, v.GenericSchema> = {
  401: UnauthorizedBodySchema,
  403: errorBodies.envelope,
  429: errorBodies.error,
};
